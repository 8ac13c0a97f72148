// SPDX-License-Identifier: MIT
// simd_* and quad_* reductions, scans, votes, shuffles and broadcasts. Every
// one gathers a value from each active lane in one meeting.
#pragma once

#include "runtime_abi.h"
#include "simdgroup_matrix.h"
#include "vector_types.h"

namespace metal {

namespace collective {

using flash_attn_mps::simulator::Exchange;
using flash_attn_mps::simulator::kExchangeBytes;
using flash_attn_mps::simulator::kFilling;
using flash_attn_mps::simulator::kReduction;
using flash_attn_mps::simulator::kShuffle;
using flash_attn_mps::simulator::kSimdWidth;
using flash_attn_mps::simulator::kVote;

template <typename T>
FLASH_ATTN_MPS_UNOBSERVED void deposit(T value) {
  static_assert(sizeof(T) <= kExchangeBytes,
                "a simd function takes values of at most 16 bytes");
  auto* lane = flash_attn_mps::simulator::current_lane();
  uchar* place = lane->simdgroup->exchange.deposit +
                 lane->thread_index_in_simdgroup * kExchangeBytes;
  *reinterpret_cast<T*>(place) = value;
}

template <typename T>
METAL_HOST_INLINE void gather(T value, uint kind, uint line) {
  deposit(value);
  flash_attn_mps_rendezvous(kind, 0, line);
}

METAL_HOST_INLINE Exchange* exchange() {
  return &flash_attn_mps::simulator::current_lane()->simdgroup->exchange;
}
METAL_HOST_INLINE uint own_lane() {
  return flash_attn_mps::simulator::current_lane()->thread_index_in_simdgroup;
}

template <typename T>
METAL_HOST_INLINE T value_of_lane(Exchange* gathered, uint lane) {
  return *reinterpret_cast<T*>(gathered->result + lane * kExchangeBytes);
}

FLASH_ATTN_MPS_UNOBSERVED uint active_lanes() {
  return exchange()->active_lanes;
}

struct add {
  template <typename T>
  METAL_HOST_INLINE static T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct multiply {
  template <typename T>
  METAL_HOST_INLINE static T apply(T a, T b) {
    return static_cast<T>(a * b);
  }
};
// A NaN loses against a number, as in min() and max().
struct minimum {
  template <typename T>
  METAL_HOST_INLINE static T apply(T a, T b) {
    if constexpr (is_vector_v<T>) {
      return select_lanes(a, b, b < a);
    } else {
      return (b < a || a != a) ? b : a;
    }
  }
  template <typename T, typename Mask>
  METAL_HOST_INLINE static T select_lanes(T a, T b, Mask mask) {
    for (int i = 0; i < lane_count<T>::value; ++i) {
      a[i] = (mask.lane_at(i) || a.lane_at(i) != a.lane_at(i)) ? b.lane_at(i)
                                                               : a.lane_at(i);
    }
    return a;
  }
};
struct maximum {
  template <typename T>
  METAL_HOST_INLINE static T apply(T a, T b) {
    if constexpr (is_vector_v<T>) {
      return minimum::select_lanes(a, b, b > a);
    } else {
      return (b > a || a != a) ? b : a;
    }
  }
};
struct bit_and {
  template <typename T>
  METAL_HOST_INLINE static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct bit_or {
  template <typename T>
  METAL_HOST_INLINE static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct bit_xor {
  template <typename T>
  METAL_HOST_INLINE static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// A halving tree when all lanes are active, lane by lane otherwise. The order
// on hardware is not published: assumed, not measured.
template <typename Operation, typename T>
METAL_HOST_INLINE T reduce_values(Exchange* gathered, uint lanes) {
  if (lanes == 0xffffffffU) {
    T values[kSimdWidth];
    for (uint lane = 0; lane < kSimdWidth; ++lane) {
      values[lane] = value_of_lane<T>(gathered, lane);
    }
    for (uint width = kSimdWidth / 2; width > 0; width /= 2) {
      for (uint lane = 0; lane < width; ++lane) {
        values[lane] = Operation::apply(values[lane], values[lane + width]);
      }
    }
    return values[0];
  }
  uint lane = __builtin_ctz(lanes);
  T total = value_of_lane<T>(gathered, lane);
  for (++lane; lane < kSimdWidth; ++lane) {
    if ((lanes >> lane) & 1) {
      total = Operation::apply(total, value_of_lane<T>(gathered, lane));
    }
  }
  return total;
}

template <typename Operation, typename T>
FLASH_ATTN_MPS_UNOBSERVED T simd_total() {
  Exchange* gathered = exchange();
  T* total = reinterpret_cast<T*>(gathered->reduced);
  if (!gathered->is_reduced) {
    *total = reduce_values<Operation, T>(gathered, gathered->active_lanes);
    gathered->is_reduced = 1;
  }
  return *total;
}

template <typename Operation, typename T>
FLASH_ATTN_MPS_UNOBSERVED T quad_total() {
  Exchange* gathered = exchange();
  const uint quad = 0xfU << (own_lane() & ~3U);
  return reduce_values<Operation, T>(gathered, gathered->active_lanes & quad);
}

// `start` is the first lane that counts; `total` the value before it.
template <typename Operation, typename T>
FLASH_ATTN_MPS_UNOBSERVED T total_below(uint start, uint end, T total) {
  Exchange* gathered = exchange();
  for (uint lane = start; lane < end; ++lane) {
    if ((gathered->active_lanes >> lane) & 1) {
      total = Operation::apply(total, value_of_lane<T>(gathered, lane));
    }
  }
  return total;
}

// The value of another lane; what an inactive lane gives is undefined in
// Metal, so the checked build reports it.
template <typename T>
FLASH_ATTN_MPS_UNOBSERVED T read_lane(uint lane) {
  Exchange* gathered = exchange();
  if (lane >= kSimdWidth || !((gathered->active_lanes >> lane) & 1)) {
    if (FLASH_ATTN_MPS_CHECKED) {
      flash_attn_mps_inactive_lane(lane);
    }
    return value_of_lane<T>(gathered, own_lane());
  }
  return value_of_lane<T>(gathered, lane);
}

}  // namespace collective

#define METAL_HOST_REDUCTION(NAME, OPERATION)                              \
  template <typename T>                                                    \
  METAL_HOST_INLINE T simd_##NAME(T value, uint line = __builtin_LINE()) { \
    collective::gather(value, collective::kReduction, line);               \
    return collective::simd_total<collective::OPERATION, T>();             \
  }                                                                        \
  template <typename T>                                                    \
  METAL_HOST_INLINE T quad_##NAME(T value, uint line = __builtin_LINE()) { \
    collective::gather(value, collective::kReduction, line);               \
    return collective::quad_total<collective::OPERATION, T>();             \
  }

METAL_HOST_REDUCTION(sum, add)
METAL_HOST_REDUCTION(product, multiply)
METAL_HOST_REDUCTION(min, minimum)
METAL_HOST_REDUCTION(max, maximum)
METAL_HOST_REDUCTION(and, bit_and)
METAL_HOST_REDUCTION(or, bit_or)
METAL_HOST_REDUCTION(xor, bit_xor)
#undef METAL_HOST_REDUCTION

#define METAL_HOST_SCAN(PREFIX, FIRST_LANE, NAME, OPERATION, IDENTITY) \
  template <typename T>                                                \
  METAL_HOST_INLINE T PREFIX##_prefix_inclusive_##NAME(                \
      T value, uint line = __builtin_LINE()) {                         \
    collective::gather(value, collective::kReduction, line);           \
    return collective::total_below<collective::OPERATION>(             \
        FIRST_LANE, collective::own_lane() + 1, T(IDENTITY));          \
  }                                                                    \
  template <typename T>                                                \
  METAL_HOST_INLINE T PREFIX##_prefix_exclusive_##NAME(                \
      T value, uint line = __builtin_LINE()) {                         \
    collective::gather(value, collective::kReduction, line);           \
    return collective::total_below<collective::OPERATION>(             \
        FIRST_LANE, collective::own_lane(), T(IDENTITY));              \
  }

METAL_HOST_SCAN(simd, 0, sum, add, 0)
METAL_HOST_SCAN(simd, 0, product, multiply, 1)
METAL_HOST_SCAN(quad, (collective::own_lane() & ~3U), sum, add, 0)
METAL_HOST_SCAN(quad, (collective::own_lane() & ~3U), product, multiply, 1)
#undef METAL_HOST_SCAN

// Shuffles of a simdgroup: `lane` wraps nowhere; a lane whose source would lie
// outside keeps its own value.
template <typename T>
METAL_HOST_INLINE T simd_shuffle(T value,
                                 ushort lane,
                                 uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  return collective::read_lane<T>(lane);
}
template <typename T>
METAL_HOST_INLINE T simd_broadcast(T value,
                                   ushort lane,
                                   uint line = __builtin_LINE()) {
  return simd_shuffle(value, lane, line);
}
template <typename T>
METAL_HOST_INLINE T simd_broadcast_first(T value,
                                         uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  return collective::read_lane<T>(__builtin_ctz(collective::active_lanes()));
}
template <typename T>
METAL_HOST_INLINE T simd_shuffle_xor(T value,
                                     ushort mask,
                                     uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  return collective::read_lane<T>(collective::own_lane() ^ mask);
}
template <typename T>
METAL_HOST_INLINE T simd_shuffle_down(T value,
                                      ushort delta,
                                      uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  const uint lane = collective::own_lane() + delta;
  return lane < collective::kSimdWidth ? collective::read_lane<T>(lane)
                                       : T(value);
}
template <typename T>
METAL_HOST_INLINE T simd_shuffle_up(T value,
                                    ushort delta,
                                    uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  const uint lane = collective::own_lane();
  return lane >= delta ? collective::read_lane<T>(lane - delta) : T(value);
}
template <typename T>
METAL_HOST_INLINE T simd_shuffle_rotate_down(T value,
                                             ushort delta,
                                             uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  return collective::read_lane<T>((collective::own_lane() + delta) %
                                  collective::kSimdWidth);
}
template <typename T>
METAL_HOST_INLINE T simd_shuffle_rotate_up(T value,
                                           ushort delta,
                                           uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  return collective::read_lane<T>((collective::own_lane() +
                                   collective::kSimdWidth -
                                   delta % collective::kSimdWidth) %
                                  collective::kSimdWidth);
}

// Lanes whose source lies outside take it from `filling` instead. With
// `modulo`, the simdgroup consists of segments of that many lanes.
template <typename T>
METAL_HOST_INLINE T simd_shuffle_and_fill_down(T value,
                                               T filling,
                                               ushort delta,
                                               ushort modulo = 32,
                                               uint line = __builtin_LINE()) {
  const uint first = collective::own_lane() / modulo * modulo;
  const uint source = collective::own_lane() % modulo + delta;
  T moved = filling;
  collective::gather(value, collective::kShuffle, line);
  if (source < modulo) {
    moved = collective::read_lane<T>(first + source);
  }
  collective::gather(filling, collective::kFilling, line);
  return source < modulo ? T(moved)
                         : collective::read_lane<T>(first + source - modulo);
}
template <typename T>
METAL_HOST_INLINE T simd_shuffle_and_fill_up(T value,
                                             T filling,
                                             ushort delta,
                                             ushort modulo = 32,
                                             uint line = __builtin_LINE()) {
  const uint first = collective::own_lane() / modulo * modulo;
  const uint place = collective::own_lane() % modulo;
  T moved = filling;
  collective::gather(value, collective::kShuffle, line);
  if (place >= delta) {
    moved = collective::read_lane<T>(first + place - delta);
  }
  collective::gather(filling, collective::kFilling, line);
  return place >= delta
             ? T(moved)
             : collective::read_lane<T>(first + modulo + place - delta);
}

template <typename T>
METAL_HOST_INLINE T quad_shuffle(T value,
                                 ushort lane,
                                 uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  return collective::read_lane<T>((collective::own_lane() & ~3U) + lane);
}
template <typename T>
METAL_HOST_INLINE T quad_broadcast(T value,
                                   ushort lane,
                                   uint line = __builtin_LINE()) {
  return quad_shuffle(value, lane, line);
}
template <typename T>
METAL_HOST_INLINE T quad_broadcast_first(T value,
                                         uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  const uint quad = 0xfU << (collective::own_lane() & ~3U);
  return collective::read_lane<T>(
      __builtin_ctz(collective::active_lanes() & quad));
}
template <typename T>
METAL_HOST_INLINE T quad_shuffle_xor(T value,
                                     ushort mask,
                                     uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  return collective::read_lane<T>(collective::own_lane() ^ (mask & 3));
}
template <typename T>
METAL_HOST_INLINE T quad_shuffle_down(T value,
                                      ushort delta,
                                      uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  const uint lane = collective::own_lane();
  return lane % 4 + delta < 4 ? collective::read_lane<T>(lane + delta)
                              : T(value);
}
template <typename T>
METAL_HOST_INLINE T quad_shuffle_up(T value,
                                    ushort delta,
                                    uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  const uint lane = collective::own_lane();
  return lane % 4 >= delta ? collective::read_lane<T>(lane - delta) : T(value);
}
template <typename T>
METAL_HOST_INLINE T quad_shuffle_rotate_down(T value,
                                             ushort delta,
                                             uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  const uint lane = collective::own_lane();
  return collective::read_lane<T>((lane & ~3U) + (lane + delta) % 4);
}
template <typename T>
METAL_HOST_INLINE T quad_shuffle_rotate_up(T value,
                                           ushort delta,
                                           uint line = __builtin_LINE()) {
  collective::gather(value, collective::kShuffle, line);
  const uint lane = collective::own_lane();
  return collective::read_lane<T>((lane & ~3U) + (lane + 4 - delta % 4) % 4);
}
#define METAL_HOST_QUAD_FILL(NAME)                                \
  template <typename T>                                           \
  METAL_HOST_INLINE T quad_##NAME(T value,                        \
                                  T filling,                      \
                                  ushort delta,                   \
                                  ushort modulo = 4,              \
                                  uint line = __builtin_LINE()) { \
    return simd_##NAME(value, filling, delta, modulo, line);      \
  }
METAL_HOST_QUAD_FILL(shuffle_and_fill_down)
METAL_HOST_QUAD_FILL(shuffle_and_fill_up)

// Bit i of a vote is lane i.
class simd_vote {
 public:
  using vote_t = ulong;
  METAL_HOST_INLINE explicit simd_vote(vote_t votes = 0) : votes_(votes) {}
  METAL_HOST_INLINE explicit operator vote_t() const { return votes_; }
  METAL_HOST_INLINE bool all() const { return votes_ == 0xffffffffUL; }
  METAL_HOST_INLINE bool any() const { return votes_ != 0; }

 private:
  vote_t votes_;
};
class quad_vote {
 public:
  using vote_t = uint;
  METAL_HOST_INLINE explicit quad_vote(vote_t votes = 0) : votes_(votes) {}
  METAL_HOST_INLINE explicit operator vote_t() const { return votes_; }
  METAL_HOST_INLINE bool all() const { return votes_ == 0xfU; }
  METAL_HOST_INLINE bool any() const { return votes_ != 0; }

 private:
  vote_t votes_;
};

namespace collective {

// The active lanes whose gathered bool is true.
FLASH_ATTN_MPS_UNOBSERVED uint true_lanes() {
  Exchange* gathered = exchange();
  uint votes = 0;
  for (uint lane = 0; lane < kSimdWidth; ++lane) {
    votes |= static_cast<uint>(value_of_lane<uchar>(gathered, lane) & 1)
             << lane;
  }
  return votes & gathered->active_lanes;
}

METAL_HOST_INLINE uint quad_bits(uint lanes) {
  return (lanes >> (own_lane() & ~3U)) & 0xfU;
}

}  // namespace collective

METAL_HOST_INLINE simd_vote simd_ballot(bool value,
                                        uint line = __builtin_LINE()) {
  collective::gather(static_cast<uchar>(value), collective::kVote, line);
  return simd_vote(collective::true_lanes());
}
METAL_HOST_INLINE bool simd_all(bool value, uint line = __builtin_LINE()) {
  collective::gather(static_cast<uchar>(value), collective::kVote, line);
  return collective::true_lanes() == collective::active_lanes();
}
METAL_HOST_INLINE bool simd_any(bool value, uint line = __builtin_LINE()) {
  collective::gather(static_cast<uchar>(value), collective::kVote, line);
  return collective::true_lanes() != 0;
}
METAL_HOST_INLINE simd_vote
simd_active_threads_mask(uint line = __builtin_LINE()) {
  collective::gather(uchar(1), collective::kVote, line);
  return simd_vote(collective::active_lanes());
}
METAL_HOST_INLINE bool simd_is_first(uint line = __builtin_LINE()) {
  collective::gather(uchar(1), collective::kVote, line);
  return collective::own_lane() ==
         static_cast<uint>(__builtin_ctz(collective::active_lanes()));
}
METAL_HOST_INLINE quad_vote quad_ballot(bool value,
                                        uint line = __builtin_LINE()) {
  collective::gather(static_cast<uchar>(value), collective::kVote, line);
  return quad_vote(collective::quad_bits(collective::true_lanes()));
}
METAL_HOST_INLINE bool quad_all(bool value, uint line = __builtin_LINE()) {
  collective::gather(static_cast<uchar>(value), collective::kVote, line);
  return collective::quad_bits(collective::true_lanes()) ==
         collective::quad_bits(collective::active_lanes());
}
METAL_HOST_INLINE bool quad_any(bool value, uint line = __builtin_LINE()) {
  collective::gather(static_cast<uchar>(value), collective::kVote, line);
  return collective::quad_bits(collective::true_lanes()) != 0;
}
METAL_HOST_INLINE quad_vote
quad_active_threads_mask(uint line = __builtin_LINE()) {
  collective::gather(uchar(1), collective::kVote, line);
  return quad_vote(collective::quad_bits(collective::active_lanes()));
}
METAL_HOST_INLINE bool quad_is_first(uint line = __builtin_LINE()) {
  collective::gather(uchar(1), collective::kVote, line);
  return collective::own_lane() % 4 ==
         static_cast<uint>(
             __builtin_ctz(collective::quad_bits(collective::active_lanes())));
}

}  // namespace metal
