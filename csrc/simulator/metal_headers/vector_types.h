// SPDX-License-Identifier: MIT
// The names float4, packed_half2 and so on, and the packed vectors: those
// without padding and with the alignment of one element.
#pragma once

#include "vector.h"

namespace metal {

#define METAL_HOST_PACKED_STORAGE(LANES, XYZW)                               \
  template <typename T>                                                      \
  struct packed_storage<T, LANES> {                                          \
    union {                                                                  \
      T elements[LANES];                                                     \
      struct {                                                               \
        T XYZW;                                                              \
      };                                                                     \
    };                                                                       \
    packed_storage() = default;                                              \
    template <size_t... kIndex>                                              \
    METAL_HOST_INLINE constexpr packed_storage(index_sequence<kIndex...>,    \
                                               vec<T, LANES> value)          \
        : elements{value.lane_at(kIndex)...} {}                              \
    template <size_t... kIndex>                                              \
    METAL_HOST_INLINE constexpr packed_storage(index_sequence<kIndex...>,    \
                                               vec<T, LANES> value) constant \
        : elements{value.lane_at(kIndex)...} {}                              \
  };
template <typename T, int kLanes>
struct packed_storage {
  static_assert(kLanes >= 2 && kLanes <= 4,
                "a packed vector has 2, 3 or 4 elements");
};
METAL_HOST_PACKED_STORAGE(2, METAL_HOST_LIST(x, y))
METAL_HOST_PACKED_STORAGE(3, METAL_HOST_LIST(x, y, z))
METAL_HOST_PACKED_STORAGE(4, METAL_HOST_LIST(x, y, z, w))

template <typename T, int kLanes>
struct packed_vec : packed_storage<T, kLanes> {
  using storage = packed_storage<T, kLanes>;
  using storage::elements;
  using own_type = packed_vec;

  packed_vec() = default;
  constexpr packed_vec(const packed_vec&) = default;
  template <typename V, enable_if_t<is_same_v<V, packed_vec>, int> = 0>
  METAL_HOST_INLINE packed_vec(const constant V& other) {
    copy(other);
  }
  METAL_HOST_INLINE constexpr packed_vec(vec<T, kLanes> other)
      : storage(make_index_sequence<kLanes>(), other) {}
  METAL_HOST_INLINE constexpr packed_vec(vec<T, kLanes> other) constant
      : storage(make_index_sequence<kLanes>(), other) {}
  template <typename A,
            typename... Rest,
            enable_if_t<is_constructible_v<vec<T, kLanes>, A, Rest...> &&
                            !is_same_v<A, packed_vec>,
                        int> = 0>
  METAL_HOST_INLINE constexpr packed_vec(A a, Rest... rest)
      : packed_vec(vec<T, kLanes>(a, rest...)) {}
  template <typename A,
            typename... Rest,
            enable_if_t<is_constructible_v<vec<T, kLanes>, A, Rest...> &&
                            !is_same_v<A, packed_vec>,
                        int> = 0>
  METAL_HOST_INLINE constexpr packed_vec(A a, Rest... rest) constant
      : packed_vec(vec<T, kLanes>(a, rest...)) {}
  packed_vec& operator=(const packed_vec&) = default;
  template <typename V, enable_if_t<is_same_v<V, packed_vec>, int> = 0>
  METAL_HOST_INLINE packed_vec& operator=(const constant V& other) {
    copy(other);
    return *this;
  }

  METAL_HOST_INLINE operator vec<T, kLanes>() const { return unpacked(*this); }
  METAL_HOST_INLINE operator vec<T, kLanes>() const constant {
    return unpacked(*this);
  }
  METAL_HOST_INLINE T operator[](size_t index) const constant& {
    return elements[index];
  }
  METAL_HOST_INLINE T operator[](size_t index) const& {
    return elements[index];
  }
  METAL_HOST_INLINE thread T& operator[](size_t index) thread& {
    return elements[index];
  }
  METAL_HOST_INLINE device T& operator[](size_t index) device& {
    return elements[index];
  }
  METAL_HOST_INLINE threadgroup T& operator[](size_t index) threadgroup& {
    return elements[index];
  }
  METAL_HOST_INLINE T operator[](size_t index) const&& {
    return elements[index];
  }

  template <int kIndex>
  METAL_HOST_INLINE constexpr T lane() const {
    static_assert(kIndex < kLanes, "the vector has no such element");
    return elements[kIndex];
  }
  template <int kIndex>
  METAL_HOST_INLINE constexpr T lane() const thread {
    static_assert(kIndex < kLanes, "the vector has no such element");
    return elements[kIndex];
  }
  template <int kIndex>
  METAL_HOST_INLINE constexpr T lane() const constant {
    static_assert(kIndex < kLanes, "the vector has no such element");
    return elements[kIndex];
  }
  template <int kIndex>
  METAL_HOST_INLINE void put_lane(T value) {
    static_assert(kIndex < kLanes, "the vector has no such element");
    elements[kIndex] = value;
  }
  template <int kIndex>
  METAL_HOST_INLINE void put_lane(T value) thread {
    static_assert(kIndex < kLanes, "the vector has no such element");
    elements[kIndex] = value;
  }
  template <int... kIndices>
  METAL_HOST_INLINE constexpr vec<T, sizeof...(kIndices)> swizzle() const {
    return vec<T, sizeof...(kIndices)>(this->template lane<kIndices>()...);
  }
  template <int... kIndices>
  METAL_HOST_INLINE constexpr vec<T, sizeof...(kIndices)> swizzle() const
      thread {
    return vec<T, sizeof...(kIndices)>(this->template lane<kIndices>()...);
  }
  template <int... kIndices>
  METAL_HOST_INLINE constexpr vec<T, sizeof...(kIndices)> swizzle() const
      constant {
    return vec<T, sizeof...(kIndices)>(this->template lane<kIndices>()...);
  }
  template <int... kIndices>
  METAL_HOST_INLINE void put_swizzle(vec<T, sizeof...(kIndices)> value) {
    int i = 0;
    (this->template put_lane<kIndices>(value.lane_at(i++)), ...);
  }
  template <int... kIndices>
  METAL_HOST_INLINE void put_swizzle(vec<T, sizeof...(kIndices)> value) thread {
    int i = 0;
    (this->template put_lane<kIndices>(value.lane_at(i++)), ...);
  }

  METAL_HOST_SWIZZLES

 private:
  template <typename Other>
  METAL_HOST_INLINE void copy(const constant Other& other) {
    for (int i = 0; i < kLanes; ++i) {
      elements[i] = other.elements[i];
    }
  }
  template <typename Packed>
  METAL_HOST_INLINE static vec<T, kLanes> unpacked(const Packed& packed) {
    vec<T, kLanes> result;
    for (int i = 0; i < kLanes; ++i) {
      result.put_lane_at(i, packed.elements[i]);
    }
    return result;
  }
  template <typename Packed>
  METAL_HOST_INLINE static vec<T, kLanes> unpacked(const
                                                   constant Packed& packed) {
    vec<T, kLanes> result;
    for (int i = 0; i < kLanes; ++i) {
      result.put_lane_at(i, packed.elements[i]);
    }
    return result;
  }
};

template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> operand(packed_vec<T, kLanes> value) {
  return value;
}
template <typename T, enable_if_t<!is_vector_v<T>, int> = 0>
METAL_HOST_INLINE T operand(T value) {
  return value;
}
template <typename T>
struct is_packed : false_type {};
template <typename T, int kLanes>
struct is_packed<packed_vec<T, kLanes>> : true_type {};
template <typename A, typename B>
constant constexpr bool is_packed_pair_v =
    (is_packed<A>::value && (is_packed<B>::value || is_arithmetic_v<B>)) ||
    (is_arithmetic_v<A> && is_packed<B>::value);

#define METAL_HOST_PACKED_OPERATOR(OP)                    \
  template <typename A,                                   \
            typename B,                                   \
            enable_if_t<is_packed_pair_v<A, B>, int> = 0> \
  METAL_HOST_INLINE auto operator OP(A a, B b) {          \
    return operand(a) OP operand(b);                      \
  }
METAL_HOST_PACKED_OPERATOR(+)
METAL_HOST_PACKED_OPERATOR(-)
METAL_HOST_PACKED_OPERATOR(*)
METAL_HOST_PACKED_OPERATOR(/)
METAL_HOST_PACKED_OPERATOR(==)
METAL_HOST_PACKED_OPERATOR(!=)

}  // namespace metal

#define METAL_HOST_VECTOR_NAMES(T)               \
  typedef metal::vec<T, 2> T##2;                 \
  typedef metal::vec<T, 3> T##3;                 \
  typedef metal::vec<T, 4> T##4;                 \
  typedef metal::packed_vec<T, 2> packed_##T##2; \
  typedef metal::packed_vec<T, 3> packed_##T##3; \
  typedef metal::packed_vec<T, 4> packed_##T##4; \
  namespace metal {                              \
  using ::T##2;                                  \
  using ::T##3;                                  \
  using ::T##4;                                  \
  using ::packed_##T##2;                         \
  using ::packed_##T##3;                         \
  using ::packed_##T##4;                         \
  }
METAL_HOST_VECTOR_NAMES(bool)
METAL_HOST_VECTOR_NAMES(char)
METAL_HOST_VECTOR_NAMES(uchar)
METAL_HOST_VECTOR_NAMES(short)
METAL_HOST_VECTOR_NAMES(ushort)
METAL_HOST_VECTOR_NAMES(int)
METAL_HOST_VECTOR_NAMES(uint)
METAL_HOST_VECTOR_NAMES(long)
METAL_HOST_VECTOR_NAMES(ulong)
METAL_HOST_VECTOR_NAMES(half)
METAL_HOST_VECTOR_NAMES(float)
METAL_HOST_VECTOR_NAMES(bfloat)
