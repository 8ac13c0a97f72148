// SPDX-License-Identifier: MIT
// The macros that Apple's headers define. Only the preprocessor reads this
// file: it stands for <metal_stdlib> and the others until the text is
// translated, and declares nothing.
#ifndef METAL_HOST_PREPROCESSOR_MACROS
#define METAL_HOST_PREPROCESSOR_MACROS

#define METAL_FUNC inline __attribute__((always_inline))
#define METAL_ALIGN(x) alignas(x)
#define METAL_CONST const
#define METAL_ASM(...)
#define METAL_INTERNAL
#define METAL_VALID_ARGS(...)

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define HUGE_VALH static_cast<half>(__builtin_inff())

#define MAXFLOAT 0x1.fffffep+127f
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep+127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f

#define MAXHALF static_cast<half>(0x1.ffcp15f)
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_EXP 16
#define HALF_MIN_EXP (-13)
#define HALF_MAX static_cast<half>(0x1.ffcp15f)
#define HALF_MIN static_cast<half>(0x1.0p-14f)
#define HALF_EPSILON static_cast<half>(0x1.0p-10f)

#define MAXBFLOAT static_cast<bfloat>(0x1.fep+127f)
#define BFLT_MAX static_cast<bfloat>(0x1.fep+127f)
#define BFLT_MIN static_cast<bfloat>(0x1.0p-126f)
#define BFLT_EPSILON static_cast<bfloat>(0x1.0p-7f)

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul

#define M_E_F 2.71828182845904523536028747135266250f
#define M_LOG2E_F 1.44269504088896340735992468100189214f
#define M_LOG10E_F 0.434294481903251827651128918916605082f
#define M_LN2_F 0.693147180559945309417232121458176568f
#define M_LN10_F 2.30258509299404568401799145468436421f
#define M_PI_F 3.14159265358979323846264338327950288f
#define M_PI_2_F 1.57079632679489661923132169163975144f
#define M_PI_4_F 0.785398163397448309615660845819875721f
#define M_1_PI_F 0.318309886183790671537767526745028724f
#define M_2_PI_F 0.636619772367581343075535053490057448f
#define M_2_SQRTPI_F 1.12837916709551257389615890312154517f
#define M_SQRT2_F 1.41421356237309504880168872420969808f
#define M_SQRT1_2_F 0.707106781186547524400844362104849039f
#define M_E_H static_cast<half>(M_E_F)
#define M_LOG2E_H static_cast<half>(M_LOG2E_F)
#define M_LN2_H static_cast<half>(M_LN2_F)
#define M_PI_H static_cast<half>(M_PI_F)
#define M_PI_2_H static_cast<half>(M_PI_2_F)
#define M_SQRT2_H static_cast<half>(M_SQRT2_F)
#define M_SQRT1_2_H static_cast<half>(M_SQRT1_2_F)

// Names of Apple's compiler that public headers for bfloat call. `fast` chooses
// a variant that the host has not.
#define __METAL_FAST_MATH__ true
#define __METAL_PRECISE_MATH__ false
#define __METAL_MAYBE_FAST_MATH__ true
#define __metal_acos(x, fast) metal::acos(x)
#define __metal_acosh(x, fast) metal::acosh(x)
#define __metal_asin(x, fast) metal::asin(x)
#define __metal_asinh(x, fast) metal::asinh(x)
#define __metal_atan(x, fast) metal::atan(x)
#define __metal_atanh(x, fast) metal::atanh(x)
#define __metal_ceil(x, fast) metal::ceil(x)
#define __metal_cos(x, fast) metal::cos(x)
#define __metal_cosh(x, fast) metal::cosh(x)
#define __metal_cospi(x, fast) metal::cospi(x)
#define __metal_exp(x, fast) metal::exp(x)
#define __metal_exp10(x, fast) metal::exp10(x)
#define __metal_exp2(x, fast) metal::exp2(x)
#define __metal_fabs(x, fast) metal::fabs(x)
#define __metal_floor(x, fast) metal::floor(x)
#define __metal_fract(x, fast) metal::fract(x)
#define __metal_log(x, fast) metal::log(x)
#define __metal_log10(x, fast) metal::log10(x)
#define __metal_log2(x, fast) metal::log2(x)
#define __metal_rint(x, fast) metal::rint(x)
#define __metal_round(x, fast) metal::round(x)
#define __metal_rsqrt(x, fast) metal::rsqrt(x)
#define __metal_sin(x, fast) metal::sin(x)
#define __metal_sinh(x, fast) metal::sinh(x)
#define __metal_sinpi(x, fast) metal::sinpi(x)
#define __metal_sqrt(x, fast) metal::sqrt(x)
#define __metal_tan(x, fast) metal::tan(x)
#define __metal_tanh(x, fast) metal::tanh(x)
#define __metal_tanpi(x, fast) metal::tanpi(x)
#define __metal_trunc(x, fast) metal::trunc(x)
#define __metal_atan2(x, y, fast) metal::atan2(x, y)
#define __metal_divide(x, y, fast) metal::divide(x, y)
#define __metal_fmax(x, y, fast) metal::fmax(x, y)
#define __metal_fmin(x, y, fast) metal::fmin(x, y)
#define __metal_fmod(x, y, fast) metal::fmod(x, y)
#define __metal_pow(x, y, fast) metal::pow(x, y)
#define __metal_powr(x, y, fast) metal::powr(x, y)
#define __metal_nextafter(x, y) metal::nextafter(x, y)
#define __metal_fma(x, y, z) metal::fma(x, y, z)
#define __metal_fmax3(x, y, z, fast) metal::fmax3(x, y, z)
#define __metal_fmin3(x, y, z, fast) metal::fmin3(x, y, z)
#define __metal_fmedian3(x, y, z, fast) metal::fmedian3(x, y, z)
#define __metal_ldexp(x, exponent, fast) metal::ldexp(x, exponent)
#define __metal_frexp(x, exponent) metal::frexp(x, *(exponent))
#define __metal_simd_sum(x) metal::simd_sum(x)
#define __metal_simd_product(x) metal::simd_product(x)
#define __metal_simd_min(x) metal::simd_min(x)
#define __metal_simd_max(x) metal::simd_max(x)
#define __metal_simd_xor(x) as_type<float>(metal::simd_xor(as_type<uint>(x)))
#define __metal_simd_prefix_exclusive_sum(x) metal::simd_prefix_exclusive_sum(x)
#define __metal_simd_prefix_inclusive_sum(x) metal::simd_prefix_inclusive_sum(x)
#define __metal_simd_prefix_exclusive_product(x) \
  metal::simd_prefix_exclusive_product(x)
#define __metal_simd_prefix_inclusive_product(x) \
  metal::simd_prefix_inclusive_product(x)
#define __metal_simd_broadcast_first(x) metal::simd_broadcast_first(x)
#define __metal_simd_broadcast(x, lane) metal::simd_broadcast(x, lane)
#define __metal_simd_shuffle(x, lane) metal::simd_shuffle(x, lane)
#define __metal_simd_shuffle_up(x, lane) metal::simd_shuffle_up(x, lane)
#define __metal_simd_shuffle_down(x, lane) metal::simd_shuffle_down(x, lane)
#define __metal_simd_shuffle_xor(x, lane) metal::simd_shuffle_xor(x, lane)
#define __metal_simd_shuffle_rotate_up(x, lane) \
  metal::simd_shuffle_rotate_up(x, lane)
#define __metal_simd_shuffle_rotate_down(x, lane) \
  metal::simd_shuffle_rotate_down(x, lane)
#define __metal_simd_shuffle_and_fill_up(x, fill, delta, modulo) \
  metal::simd_shuffle_and_fill_up(x, fill, delta, modulo)
#define __metal_simd_shuffle_and_fill_down(x, fill, delta, modulo) \
  metal::simd_shuffle_and_fill_down(x, fill, delta, modulo)
#define __metal_get_simdgroup_size(T) static_cast<ushort>(32)
#define __metal_get_thread_index_in_simdgroup(T) \
  static_cast<ushort>(metal_attribute::thread_index_in_simdgroup())

#endif
