// SPDX-License-Identifier: MIT
// <metal_relational>: classification of floating-point values, any, all and
// select.
#pragma once

#include "vector_types.h"

namespace metal {

// Tests of bits, so that they keep their meaning in the fast-math build.
template <typename T>
METAL_HOST_INLINE constexpr uint magnitude_bits(T x) {
  return __builtin_bit_cast(uint, static_cast<float>(x)) & 0x7fffffffU;
}

#define METAL_HOST_CLASSIFY(NAME, EXPRESSION)                         \
  template <typename T, enable_if_t<is_floating_point_v<T>, int> = 0> \
  METAL_HOST_INLINE constexpr bool NAME(T x) {                        \
    return EXPRESSION;                                                \
  }                                                                   \
  template <typename T, int kLanes>                                   \
  METAL_HOST_INLINE vec<bool, kLanes> NAME(vec<T, kLanes> x) {        \
    vec<bool, kLanes> result;                                         \
    for (int i = 0; i < kLanes; ++i) {                                \
      result.put_lane_at(i, NAME(x.lane_at(i)));                      \
    }                                                                 \
    return result;                                                    \
  }

METAL_HOST_CLASSIFY(isnan, magnitude_bits(x) > 0x7f800000U)
METAL_HOST_CLASSIFY(isinf, magnitude_bits(x) == 0x7f800000U)
METAL_HOST_CLASSIFY(isfinite, magnitude_bits(x) < 0x7f800000U)
METAL_HOST_CLASSIFY(signbit,
                    (__builtin_bit_cast(uint, static_cast<float>(x)) >> 31) !=
                        0)

// Whether a value is normal depends on its own type, not on float's.
METAL_HOST_CLASSIFY(isnormal,
                    isfinite(x) &&
                        magnitude_bits(x) >=
                            (is_same_v<T, half> ? 0x38800000U : 0x00800000U))

template <typename T>
METAL_HOST_INLINE constexpr auto isordered(T a, T b) {
  return !isnan(a) && !isnan(b);
}
template <typename T>
METAL_HOST_INLINE constexpr auto isunordered(T a, T b) {
  return isnan(a) || isnan(b);
}

METAL_HOST_INLINE constexpr bool any(bool x) {
  return x;
}
METAL_HOST_INLINE constexpr bool all(bool x) {
  return x;
}
template <int kLanes>
METAL_HOST_INLINE bool any(vec<bool, kLanes> x) {
  bool result = false;
  for (int i = 0; i < kLanes; ++i) {
    result |= x.lane_at(i);
  }
  return result;
}
template <int kLanes>
METAL_HOST_INLINE bool all(vec<bool, kLanes> x) {
  bool result = true;
  for (int i = 0; i < kLanes; ++i) {
    result &= x.lane_at(i);
  }
  return result;
}

// select(a, b, c) is b where c holds, a elsewhere.
template <typename T, enable_if_t<is_arithmetic_v<T>, int> = 0>
METAL_HOST_INLINE constexpr T select(T a, T b, bool condition) {
  return condition ? b : a;
}
template <
    typename A,
    typename B,
    enable_if_t<is_arithmetic_v<A> && is_arithmetic_v<B> && !is_same_v<A, B>,
                int> = 0>
METAL_HOST_INLINE constexpr auto select(A a, B b, bool condition) {
  return condition ? b : a;
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> select(vec<T, kLanes> a,
                                        vec<T, kLanes> b,
                                        vec<bool, kLanes> condition) {
  vec<T, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    result.put_lane_at(i, (condition.lane_at(i) ? b : a).lane_at(i));
  }
  return result;
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> select(vec<T, kLanes> a,
                                        vec<T, kLanes> b,
                                        bool condition) {
  return condition ? b : a;
}

template <typename A, typename B, int kLanes>
METAL_HOST_INLINE mixed_vector_t<A, B> select(A a,
                                              B b,
                                              vec<bool, kLanes> condition) {
  using V = mixed_vector_t<A, B>;
  return select(V(a), V(b), condition);
}

}  // namespace metal
