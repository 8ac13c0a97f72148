// SPDX-License-Identifier: MIT
// <metal_math>: functions of floating-point scalars and vectors, in metal,
// metal::fast and metal::precise. All three are the host's libm: what Metal's
// fast variants lose in precision is not modelled.
//
// half and bfloat are computed in float and rounded once. The bfloat overloads
// are templates, because public headers define their own beside them.
#pragma once

#include "relational_functions.h"

extern "C" {
float acosf(float);
float acoshf(float);
float asinf(float);
float asinhf(float);
float atan2f(float, float);
float atanf(float);
float atanhf(float);
float copysignf(float, float);
float coshf(float);
float exp10f(float);
float fdimf(float, float);
float fmodf(float, float);
float ldexpf(float, int);
float log10f(float);
float modff(float, float*);
float nextafterf(float, float);
float powf(float, float);
float sinhf(float);
float tanf(float);
float tanhf(float);
int ilogbf(float);
float frexpf(float, int*);
}

namespace metal {

template <typename T>
constant constexpr bool is_bfloat_v = is_same_v<T, bfloat>;

// One-argument functions: float, half, bfloat, integers (as float), vectors.
#define METAL_HOST_UNARY(NAME, EXPRESSION)                      \
  METAL_HOST_INLINE float NAME(float x) {                       \
    return EXPRESSION;                                          \
  }                                                             \
  METAL_HOST_INLINE half NAME(half x) {                         \
    return static_cast<half>(NAME(static_cast<float>(x)));      \
  }                                                             \
  template <typename T, enable_if_t<is_bfloat_v<T>, int> = 0>   \
  METAL_HOST_INLINE T NAME(T x) {                               \
    return static_cast<T>(NAME(static_cast<float>(x)));         \
  }                                                             \
  template <typename T, enable_if_t<is_integral_v<T>, int> = 0> \
  METAL_HOST_INLINE float NAME(T x) {                           \
    return NAME(static_cast<float>(x));                         \
  }                                                             \
  template <typename T, int kLanes>                             \
  METAL_HOST_INLINE vec<T, kLanes> NAME(vec<T, kLanes> x) {     \
    vec<T, kLanes> result;                                      \
    for (int i = 0; i < kLanes; ++i) {                          \
      result.put_lane_at(i, NAME(x.lane_at(i)));                \
    }                                                           \
    return result;                                              \
  }

// Two arguments: of one type, or scalars of two types, computed in float.
template <typename A, typename B>
constant constexpr bool is_mixed_float_pair_v =
    is_arithmetic_v<A> && is_arithmetic_v<B> && !is_same_v<A, B> &&
    (is_floating_point_v<A> || is_floating_point_v<B>);

#define METAL_HOST_BINARY(NAME, EXPRESSION)                                    \
  METAL_HOST_INLINE float NAME(float x, float y) {                             \
    return EXPRESSION;                                                         \
  }                                                                            \
  METAL_HOST_INLINE half NAME(half x, half y) {                                \
    return static_cast<half>(                                                  \
        NAME(static_cast<float>(x), static_cast<float>(y)));                   \
  }                                                                            \
  template <typename T, enable_if_t<is_bfloat_v<T>, int> = 0>                  \
  METAL_HOST_INLINE T NAME(T x, T y) {                                         \
    return static_cast<T>(NAME(static_cast<float>(x), static_cast<float>(y))); \
  }                                                                            \
  template <typename A,                                                        \
            typename B,                                                        \
            enable_if_t<is_mixed_float_pair_v<A, B>, int> = 0>                 \
  METAL_HOST_INLINE float NAME(A x, B y) {                                     \
    return NAME(static_cast<float>(x), static_cast<float>(y));                 \
  }                                                                            \
  template <typename T, int kLanes>                                            \
  METAL_HOST_INLINE vec<T, kLanes> NAME(vec<T, kLanes> x, vec<T, kLanes> y) {  \
    vec<T, kLanes> result;                                                     \
    for (int i = 0; i < kLanes; ++i) {                                         \
      result.put_lane_at(i, NAME(x.lane_at(i), y.lane_at(i)));                 \
    }                                                                          \
    return result;                                                             \
  }                                                                            \
  template <typename T,                                                        \
            int kLanes,                                                        \
            typename S,                                                        \
            enable_if_t<is_splat_implicit_v<S, T>, int> = 0>                   \
  METAL_HOST_INLINE vec<T, kLanes> NAME(vec<T, kLanes> x, S y) {               \
    return NAME(x, vec<T, kLanes>(y));                                         \
  }                                                                            \
  template <typename T,                                                        \
            int kLanes,                                                        \
            typename S,                                                        \
            enable_if_t<is_splat_implicit_v<S, T>, int> = 0>                   \
  METAL_HOST_INLINE vec<T, kLanes> NAME(S x, vec<T, kLanes> y) {               \
    return NAME(vec<T, kLanes>(x), y);                                         \
  }

METAL_HOST_UNARY(acos, acosf(x))
METAL_HOST_UNARY(acosh, acoshf(x))
METAL_HOST_UNARY(asin, asinf(x))
METAL_HOST_UNARY(asinh, asinhf(x))
METAL_HOST_UNARY(atan, atanf(x))
METAL_HOST_UNARY(atanh, atanhf(x))
METAL_HOST_UNARY(ceil, __builtin_ceilf(x))
METAL_HOST_UNARY(cos, __builtin_cosf(x))
METAL_HOST_UNARY(cosh, coshf(x))
METAL_HOST_UNARY(cospi, __builtin_cosf(x * 3.14159265358979F))
METAL_HOST_UNARY(exp, __builtin_expf(x))
METAL_HOST_UNARY(exp10, exp10f(x))
METAL_HOST_UNARY(exp2, __builtin_exp2f(x))
METAL_HOST_UNARY(fabs, __builtin_fabsf(x))
METAL_HOST_UNARY(floor, __builtin_floorf(x))
METAL_HOST_UNARY(fract,
                 x - __builtin_floorf(x) >= 1.0F ? 0x1.fffffep-1F
                                                 : x - __builtin_floorf(x))
METAL_HOST_UNARY(log, __builtin_logf(x))
METAL_HOST_UNARY(log10, log10f(x))
METAL_HOST_UNARY(log2, __builtin_log2f(x))
METAL_HOST_UNARY(rint, __builtin_rintf(x))
METAL_HOST_UNARY(round, __builtin_roundf(x))
METAL_HOST_UNARY(rsqrt, 1.0F / __builtin_sqrtf(x))
METAL_HOST_UNARY(sin, __builtin_sinf(x))
METAL_HOST_UNARY(sinh, sinhf(x))
METAL_HOST_UNARY(sinpi, __builtin_sinf(x * 3.14159265358979F))
METAL_HOST_UNARY(sqrt, __builtin_sqrtf(x))
METAL_HOST_UNARY(tan, tanf(x))
METAL_HOST_UNARY(tanh, tanhf(x))
METAL_HOST_UNARY(tanpi, tanf(x * 3.14159265358979F))
METAL_HOST_UNARY(trunc, __builtin_truncf(x))
METAL_HOST_UNARY(saturate, __builtin_fminf(__builtin_fmaxf(x, 0.0F), 1.0F))
METAL_HOST_UNARY(sign,
                 x > 0.0F ? 1.0F : (x < 0.0F ? -1.0F : (x == x ? x : 0.0F)))

METAL_HOST_BINARY(atan2, atan2f(x, y))
METAL_HOST_BINARY(copysign, copysignf(x, y))
METAL_HOST_BINARY(divide, x / y)
METAL_HOST_BINARY(fdim, fdimf(x, y))
METAL_HOST_BINARY(fmax, __builtin_fmaxf(x, y))
METAL_HOST_BINARY(fmin, __builtin_fminf(x, y))
METAL_HOST_BINARY(fmod, fmodf(x, y))
METAL_HOST_BINARY(nextafter, nextafterf(x, y))
METAL_HOST_BINARY(pow, powf(x, y))
METAL_HOST_BINARY(powr, powf(x, y))
METAL_HOST_BINARY(step, y < x ? 0.0F : 1.0F)

// Three arguments of one type, or scalars beside vectors.
template <typename T>
constant constexpr bool is_float_operand_v =
    is_floating_point_v<T> || is_vector_v<T>;

METAL_HOST_INLINE float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
// The product of two halves or bfloats is exact in float; the sum is rounded to
// float first, so a result may be off by one last bit where that rounding
// lands exactly between two halves.
METAL_HOST_INLINE half fma(half a, half b, half c) {
  return static_cast<half>(__builtin_fmaf(
      static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}
template <typename T, enable_if_t<is_bfloat_v<T>, int> = 0>
METAL_HOST_INLINE T fma(T a, T b, T c) {
  return static_cast<T>(__builtin_fmaf(
      static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}
template <
    typename A,
    typename B,
    typename C,
    enable_if_t<is_arithmetic_v<A> && is_arithmetic_v<B> &&
                    is_arithmetic_v<C> && !(is_same_v<A, B> && is_same_v<B, C>),
                int> = 0>
METAL_HOST_INLINE float fma(A a, B b, C c) {
  return __builtin_fmaf(
      static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> fma(vec<T, kLanes> a,
                                     vec<T, kLanes> b,
                                     vec<T, kLanes> c) {
  vec<T, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    result.put_lane_at(i, fma(a.lane_at(i), b.lane_at(i), c.lane_at(i)));
  }
  return result;
}

template <typename A, typename B, typename C>
METAL_HOST_INLINE mixed_vector_t<A, B, C> fma(A a, B b, C c) {
  using V = mixed_vector_t<A, B, C>;
  return fma(V(a), V(b), V(c));
}

METAL_HOST_INLINE float ldexp(float x, int exponent) {
  return ldexpf(x, exponent);
}
METAL_HOST_INLINE half ldexp(half x, int exponent) {
  return static_cast<half>(ldexpf(static_cast<float>(x), exponent));
}
template <typename T, enable_if_t<is_bfloat_v<T>, int> = 0>
METAL_HOST_INLINE T ldexp(T x, int exponent) {
  return static_cast<T>(ldexpf(static_cast<float>(x), exponent));
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> ldexp(vec<T, kLanes> x,
                                       vec<int, kLanes> exponent) {
  vec<T, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    result.put_lane_at(i, ldexp(x.lane_at(i), exponent.lane_at(i)));
  }
  return result;
}
METAL_HOST_INLINE int ilogb(float x) {
  return ilogbf(x);
}
METAL_HOST_INLINE int ilogb(half x) {
  return ilogbf(static_cast<float>(x));
}

template <typename T, int kLanes>
METAL_HOST_INLINE vec<int, kLanes> ilogb(vec<T, kLanes> x) {
  vec<int, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    result.put_lane_at(i, ilogb(x.lane_at(i)));
  }
  return result;
}

// Functions with a second result.
template <typename T, enable_if_t<is_floating_point_v<T>, int> = 0>
METAL_HOST_INLINE T modf(T x, thread T& whole) {
  whole = trunc(x);
  return isinf(x) ? static_cast<T>(copysign(T(0), x)) : T(x - whole);
}
template <typename T, enable_if_t<is_floating_point_v<T>, int> = 0>
METAL_HOST_INLINE T frexp(T x, thread int& exponent) {
  return static_cast<T>(frexpf(static_cast<float>(x), &exponent));
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> frexp(vec<T, kLanes> x,
                                       thread vec<int, kLanes>& exponent) {
  vec<T, kLanes> result;
  for (int i = 0; i < kLanes; ++i) {
    int own = 0;
    result.put_lane_at(i, frexp(x.lane_at(i), own));
    exponent.put_lane_at(i, own);
  }
  return result;
}
template <typename T, enable_if_t<is_floating_point_v<T>, int> = 0>
METAL_HOST_INLINE T sincos(T x, thread T& cosine) {
  cosine = cos(x);
  return sin(x);
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> modf(vec<T, kLanes> x,
                                      thread vec<T, kLanes>& whole) {
  whole = trunc(x);
  return x - whole;
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> sincos(vec<T, kLanes> x,
                                        thread vec<T, kLanes>& cosine) {
  cosine = cos(x);
  return sin(x);
}

}  // namespace metal
