// SPDX-License-Identifier: MIT
// <metal_integer> and <metal_common>: minimum, maximum and clamp of any
// scalars and vectors, and the functions of integers.
#pragma once

#include "relational_functions.h"

namespace metal {

// Scalars of one type keep it (a ushort stays a ushort); others are computed
// in the type that C++'s arithmetic gives.
template <typename A, typename B>
struct scalar_result {
  using type = decltype(A() + B());
};
template <typename A>
struct scalar_result<A, A> {
  using type = A;
};
template <>
struct scalar_result<half, bfloat> {
  using type = float;
};
template <>
struct scalar_result<bfloat, half> {
  using type = float;
};
template <typename A, typename B>
using scalar_result_t = typename scalar_result<A, B>::type;
template <typename... T>
constant constexpr bool are_scalars_v = (is_arithmetic_v<T> && ...);

// For floating point: the other operand where one is NaN.
template <typename T>
METAL_HOST_INLINE constexpr T larger(T a, T b) {
  if constexpr (is_floating_point_v<T>) {
    return isnan(a) ? b : (a < b ? b : a);
  } else {
    return a < b ? b : a;
  }
}
template <typename T>
METAL_HOST_INLINE constexpr T smaller(T a, T b) {
  if constexpr (is_floating_point_v<T>) {
    return isnan(a) ? b : (b < a ? b : a);
  } else {
    return b < a ? b : a;
  }
}

#define METAL_HOST_EXTREMUM(NAME, SCALAR)                                      \
  template <typename A, typename B, enable_if_t<are_scalars_v<A, B>, int> = 0> \
  METAL_HOST_INLINE constexpr scalar_result_t<A, B> NAME(A a, B b) {           \
    using T = scalar_result_t<A, B>;                                           \
    return SCALAR<T>(static_cast<T>(a), static_cast<T>(b));                    \
  }                                                                            \
  template <typename T, int kLanes>                                            \
  METAL_HOST_INLINE vec<T, kLanes> NAME(vec<T, kLanes> a, vec<T, kLanes> b) {  \
    vec<T, kLanes> result;                                                     \
    for (int i = 0; i < kLanes; ++i) {                                         \
      result.put_lane_at(i, SCALAR<T>(a.lane_at(i), b.lane_at(i)));            \
    }                                                                          \
    return result;                                                             \
  }                                                                            \
  template <typename T,                                                        \
            int kLanes,                                                        \
            typename S,                                                        \
            enable_if_t<is_splat_implicit_v<S, T>, int> = 0>                   \
  METAL_HOST_INLINE vec<T, kLanes> NAME(vec<T, kLanes> a, S b) {               \
    return NAME(a, vec<T, kLanes>(b));                                         \
  }                                                                            \
  template <typename T,                                                        \
            int kLanes,                                                        \
            typename S,                                                        \
            enable_if_t<is_splat_implicit_v<S, T>, int> = 0>                   \
  METAL_HOST_INLINE vec<T, kLanes> NAME(S a, vec<T, kLanes> b) {               \
    return NAME(vec<T, kLanes>(a), b);                                         \
  }
METAL_HOST_EXTREMUM(max, larger)
METAL_HOST_EXTREMUM(min, smaller)

template <typename X, typename Low, typename High>
METAL_HOST_INLINE constexpr auto clamp(X x, Low low, High high) {
  return min(max(x, low), high);
}
template <typename T>
METAL_HOST_INLINE constexpr T max3(T a, T b, T c) {
  return max(max(a, b), c);
}
template <typename T>
METAL_HOST_INLINE constexpr T min3(T a, T b, T c) {
  return min(min(a, b), c);
}
template <typename T>
METAL_HOST_INLINE constexpr T median3(T a, T b, T c) {
  return max(min(a, b), min(max(a, b), c));
}
#define METAL_HOST_FLOAT_ALIAS(NAME, OF)              \
  template <typename T>                               \
  METAL_HOST_INLINE constexpr T NAME(T a, T b, T c) { \
    return OF(a, b, c);                               \
  }
METAL_HOST_FLOAT_ALIAS(fmax3, max3)
METAL_HOST_FLOAT_ALIAS(fmin3, min3)
METAL_HOST_FLOAT_ALIAS(fmedian3, median3)

// Integers of any width, by a type that holds every intermediate value.
template <typename T>
using wide_t = conditional_t<is_signed_v<T>, __int128, unsigned __int128>;
template <typename T>
constant constexpr int bits_v = static_cast<int>(sizeof(T) * 8);
template <typename T>
constant constexpr T largest_v =
    is_signed_v<T>
        ? static_cast<T>((make_unsigned_t<T>(1) << (bits_v<T> - 1)) - 1)
        : static_cast<T>(~T(0));
template <typename T>
constant constexpr T smallest_v =
    is_signed_v<T> ? static_cast<T>(-largest_v<T> - 1) : T(0);

template <typename T>
METAL_HOST_INLINE constexpr T saturated(wide_t<T> value) {
  return value > wide_t<T>(largest_v<T>)    ? largest_v<T>
         : value < wide_t<T>(smallest_v<T>) ? smallest_v<T>
                                            : static_cast<T>(value);
}
template <typename T>
METAL_HOST_INLINE constexpr T reversed(T x) {
  make_unsigned_t<T> from = static_cast<make_unsigned_t<T>>(x);
  make_unsigned_t<T> to = 0;
  for (int i = 0; i < bits_v<T>; ++i) {
    to = static_cast<make_unsigned_t<T>>((to << 1) | (from & 1));
    from = static_cast<make_unsigned_t<T>>(from >> 1);
  }
  return static_cast<T>(to);
}
template <typename T>
METAL_HOST_INLINE constexpr T leading_zeros(T x) {
  const ulong bits = static_cast<make_unsigned_t<T>>(x);
  return static_cast<T>(bits == 0 ? bits_v<T>
                                  : __builtin_clzl(bits) - (64 - bits_v<T>));
}
template <typename T>
METAL_HOST_INLINE constexpr T trailing_zeros(T x) {
  const ulong bits = static_cast<make_unsigned_t<T>>(x);
  return static_cast<T>(bits == 0 ? bits_v<T> : __builtin_ctzl(bits));
}
template <typename T>
METAL_HOST_INLINE constexpr T rotated(T x, T count) {
  using U = make_unsigned_t<T>;
  const int left = static_cast<int>(static_cast<U>(count) % bits_v<T>);
  const U bits = static_cast<U>(x);
  return left == 0 ? x
                   : static_cast<T>(static_cast<U>(bits << left) |
                                    static_cast<U>(bits >> (bits_v<T> - left)));
}
template <typename T>
METAL_HOST_INLINE constexpr T absolute(T x) {
  return x < T(0) ? static_cast<T>(-x) : x;
}

#define METAL_HOST_INTEGER_UNARY(NAME, EXPRESSION)                          \
  template <typename T, enable_if_t<is_integral_v<T>, int> = 0>             \
  METAL_HOST_INLINE constexpr T NAME(T x) {                                 \
    return EXPRESSION;                                                      \
  }                                                                         \
  template <typename T, int kLanes, enable_if_t<is_integral_v<T>, int> = 0> \
  METAL_HOST_INLINE vec<T, kLanes> NAME(vec<T, kLanes> x) {                 \
    vec<T, kLanes> result;                                                  \
    for (int i = 0; i < kLanes; ++i) {                                      \
      result.put_lane_at(i, NAME(x.lane_at(i)));                            \
    }                                                                       \
    return result;                                                          \
  }
#define METAL_HOST_INTEGER_BINARY(NAME, EXPRESSION)                           \
  template <typename T, enable_if_t<is_integral_v<T>, int> = 0>               \
  METAL_HOST_INLINE constexpr T NAME(T x, T y) {                              \
    return EXPRESSION;                                                        \
  }                                                                           \
  template <typename T, int kLanes, enable_if_t<is_integral_v<T>, int> = 0>   \
  METAL_HOST_INLINE vec<T, kLanes> NAME(vec<T, kLanes> x, vec<T, kLanes> y) { \
    vec<T, kLanes> result;                                                    \
    for (int i = 0; i < kLanes; ++i) {                                        \
      result.put_lane_at(i, NAME(x.lane_at(i), y.lane_at(i)));                \
    }                                                                         \
    return result;                                                            \
  }                                                                           \
  template <typename A, typename B>                                           \
  METAL_HOST_INLINE mixed_vector_t<A, B> NAME(A x, B y) {                     \
    using V = mixed_vector_t<A, B>;                                           \
    return NAME(V(x), V(y));                                                  \
  }
#define METAL_HOST_INTEGER_TERNARY(NAME, EXPRESSION)                         \
  template <typename T, enable_if_t<is_integral_v<T>, int> = 0>              \
  METAL_HOST_INLINE constexpr T NAME(T x, T y, T z) {                        \
    return EXPRESSION;                                                       \
  }                                                                          \
  template <typename T, int kLanes, enable_if_t<is_integral_v<T>, int> = 0>  \
  METAL_HOST_INLINE vec<T, kLanes> NAME(                                     \
      vec<T, kLanes> x, vec<T, kLanes> y, vec<T, kLanes> z) {                \
    vec<T, kLanes> result;                                                   \
    for (int i = 0; i < kLanes; ++i) {                                       \
      result.put_lane_at(i, NAME(x.lane_at(i), y.lane_at(i), z.lane_at(i))); \
    }                                                                        \
    return result;                                                           \
  }                                                                          \
  template <typename A, typename B, typename C>                              \
  METAL_HOST_INLINE mixed_vector_t<A, B, C> NAME(A x, B y, C z) {            \
    using V = mixed_vector_t<A, B, C>;                                       \
    return NAME(V(x), V(y), V(z));                                           \
  }

METAL_HOST_INTEGER_UNARY(abs, absolute(x))
METAL_HOST_INTEGER_UNARY(clz, leading_zeros(x))
METAL_HOST_INTEGER_UNARY(ctz, trailing_zeros(x))
METAL_HOST_INTEGER_UNARY(reverse_bits, reversed(x))
METAL_HOST_INTEGER_UNARY(
    popcount,
    static_cast<T>(__builtin_popcountl(static_cast<make_unsigned_t<T>>(x))))

METAL_HOST_INTEGER_BINARY(addsat, saturated<T>(wide_t<T>(x) + wide_t<T>(y)))
METAL_HOST_INTEGER_BINARY(subsat,
                          is_signed_v<T> || x > y
                              ? saturated<T>(wide_t<T>(x) - wide_t<T>(y))
                              : T(0))
METAL_HOST_INTEGER_BINARY(hadd,
                          static_cast<T>((wide_t<T>(x) + wide_t<T>(y)) >> 1))
METAL_HOST_INTEGER_BINARY(rhadd,
                          static_cast<T>((wide_t<T>(x) + wide_t<T>(y) + 1) >>
                                         1))
METAL_HOST_INTEGER_BINARY(mulhi,
                          static_cast<T>((wide_t<T>(x) * wide_t<T>(y)) >>
                                         bits_v<T>))
METAL_HOST_INTEGER_BINARY(rotate, rotated(x, y))
METAL_HOST_INTEGER_TERNARY(madhi, static_cast<T>(mulhi(x, y) + z))
METAL_HOST_INTEGER_TERNARY(madsat,
                           saturated<T>(wide_t<T>(x) * wide_t<T>(y) +
                                        wide_t<T>(z)))
// Of the low 24 bits; both are exact in the wide type.
METAL_HOST_INTEGER_BINARY(mul24, static_cast<T>(wide_t<T>(x) * wide_t<T>(y)))
METAL_HOST_INTEGER_TERNARY(mad24,
                           static_cast<T>(wide_t<T>(x) * wide_t<T>(y) +
                                          wide_t<T>(z)))

template <typename T, enable_if_t<is_integral_v<T>, int> = 0>
METAL_HOST_INLINE constexpr make_unsigned_t<T> absdiff(T x, T y) {
  return static_cast<make_unsigned_t<T>>(x > y ? wide_t<T>(x) - wide_t<T>(y)
                                               : wide_t<T>(y) - wide_t<T>(x));
}
template <typename T, enable_if_t<is_integral_v<T>, int> = 0>
METAL_HOST_INLINE constexpr T extract_bits(T x, uint offset, uint bits) {
  using U = make_unsigned_t<T>;
  const uint unused = static_cast<uint>(bits_v<T>) - bits;
  return bits == 0 ? T(0)
                   : static_cast<T>(static_cast<T>(static_cast<U>(x)
                                                   << (unused - offset)) >>
                                    unused);
}
template <typename T, enable_if_t<is_integral_v<T>, int> = 0>
METAL_HOST_INLINE constexpr T insert_bits(T base,
                                          T inserted,
                                          uint offset,
                                          uint bits) {
  using U = make_unsigned_t<T>;
  const U ones = static_cast<U>(
      bits >= static_cast<uint>(bits_v<T>) ? ~U(0) : (U(1) << bits) - 1);
  const U mask = static_cast<U>(ones << offset);
  return static_cast<T>((static_cast<U>(base) & ~mask) |
                        ((static_cast<U>(inserted) << offset) & mask));
}

template <typename T, int kLanes, enable_if_t<is_integral_v<T>, int> = 0>
METAL_HOST_INLINE vec<make_unsigned_t<T>, kLanes> absdiff(vec<T, kLanes> x,
                                                          vec<T, kLanes> y) {
  vec<make_unsigned_t<T>, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    result.put_lane_at(i, absdiff(x.lane_at(i), y.lane_at(i)));
  }
  return result;
}
template <typename T, int kLanes, enable_if_t<is_integral_v<T>, int> = 0>
METAL_HOST_INLINE vec<T, kLanes> extract_bits(vec<T, kLanes> x,
                                              uint offset,
                                              uint bits) {
  vec<T, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    result.put_lane_at(i, extract_bits(x.lane_at(i), offset, bits));
  }
  return result;
}
template <typename T, int kLanes, enable_if_t<is_integral_v<T>, int> = 0>
METAL_HOST_INLINE vec<T, kLanes> insert_bits(vec<T, kLanes> base,
                                             vec<T, kLanes> inserted,
                                             uint offset,
                                             uint bits) {
  vec<T, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    result.put_lane_at(
        i, insert_bits(base.lane_at(i), inserted.lane_at(i), offset, bits));
  }
  return result;
}

// abs of floating point clears the sign.
#define METAL_HOST_ABS(T)                                          \
  METAL_HOST_INLINE constexpr T abs(T x) {                         \
    return static_cast<T>(__builtin_fabsf(static_cast<float>(x))); \
  }
METAL_HOST_ABS(float)
METAL_HOST_ABS(half)
template <typename T, enable_if_t<is_same_v<T, bfloat>, int> = 0>
METAL_HOST_INLINE constexpr T abs(T x) {
  return static_cast<T>(__builtin_fabsf(static_cast<float>(x)));
}
template <typename T, int kLanes, enable_if_t<is_floating_point_v<T>, int> = 0>
METAL_HOST_INLINE vec<T, kLanes> abs(vec<T, kLanes> x) {
  vec<T, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    result.put_lane_at(i, abs(x.lane_at(i)));
  }
  return result;
}

}  // namespace metal
