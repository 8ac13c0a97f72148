// SPDX-License-Identifier: MIT
// <metal_limits>: metal::numeric_limits of every scalar type.
#pragma once

#include "integer_functions.h"

namespace metal {

// Apple's own name of the definition, which public headers specialise.
template <typename T>
struct _numeric_limits_impl {
  static constant constexpr bool is_specialized = is_arithmetic_v<T>;
  static constant constexpr bool is_integer = is_integral_v<T>;
  static constant constexpr bool is_exact = is_integral_v<T>;
  static constant constexpr bool is_signed = is_signed_v<T>;
  static constant constexpr bool is_bounded = true;
  static constant constexpr bool has_infinity = false;
  static constant constexpr bool has_quiet_NaN = false;
  static constant constexpr int radix = 2;
  static constant constexpr int digits =
      is_same_v<T, bool> ? 1 : bits_v<T> - (is_signed_v<T> ? 1 : 0);
  static constant constexpr int digits10 = digits * 301 / 1000;
  static constexpr T max() {
    if constexpr (is_same_v<T, bool>) {
      return true;
    } else {
      return largest_v<T>;
    }
  }
  static constexpr T min() {
    if constexpr (is_same_v<T, bool>) {
      return false;
    } else {
      return smallest_v<T>;
    }
  }
  static constexpr T lowest() { return min(); }
  static constexpr T epsilon() { return T(0); }
  static constexpr T infinity() { return T(0); }
  static constexpr T quiet_NaN() { return T(0); }
};

// A binary format of 16 or 32 bits, by the bit patterns of its extreme values.
template <typename T,
          typename Bits,
          Bits kInfinity,
          Bits kSmallestNormal,
          Bits kEpsilon,
          int kDigits,
          int kMaxExponent>
struct floating_limits {
  static constant constexpr bool is_specialized = true;
  static constant constexpr bool is_integer = false;
  static constant constexpr bool is_exact = false;
  static constant constexpr bool is_signed = true;
  static constant constexpr bool is_bounded = true;
  static constant constexpr bool has_infinity = true;
  static constant constexpr bool has_quiet_NaN = true;
  static constant constexpr int radix = 2;
  static constant constexpr int digits = kDigits;
  static constant constexpr int digits10 = (kDigits - 1) * 301 / 1000;
  static constant constexpr int max_digits10 = kDigits * 301 / 1000 + 2;
  static constant constexpr int max_exponent = kMaxExponent;
  static constant constexpr int min_exponent = 3 - kMaxExponent;
  static constexpr T from_bits(Bits bits) {
    return __builtin_bit_cast(T, bits);
  }
  static constexpr T max() { return from_bits(kInfinity - 1); }
  static constexpr T min() { return from_bits(kSmallestNormal); }
  static constexpr T lowest() { return -max(); }
  static constexpr T epsilon() { return from_bits(kEpsilon); }
  static constexpr T round_error() { return static_cast<T>(0.5F); }
  static constexpr T infinity() { return from_bits(kInfinity); }
  static constexpr T quiet_NaN() {
    return from_bits(kInfinity | (kInfinity >> 1));
  }
  static constexpr T signaling_NaN() { return from_bits(kInfinity | 1); }
  static constexpr T denorm_min() { return from_bits(1); }
};

template <>
struct _numeric_limits_impl<float> : floating_limits<float,
                                                     uint,
                                                     0x7f800000,
                                                     0x00800000,
                                                     0x34000000,
                                                     24,
                                                     128> {};
template <>
struct _numeric_limits_impl<half>
    : floating_limits<half, ushort, 0x7c00, 0x0400, 0x1400, 11, 16> {};
template <>
struct _numeric_limits_impl<bfloat>
    : floating_limits<bfloat, ushort, 0x7f80, 0x0080, 0x3c00, 8, 128> {};

template <typename T>
struct numeric_limits : _numeric_limits_impl<T> {};

}  // namespace metal
