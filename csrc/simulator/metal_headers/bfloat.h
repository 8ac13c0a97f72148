// SPDX-License-Identifier: MIT
// bfloat: 8 bits of precision with float's range. A class and not the
// compiler's __bf16, because Metal converts half and bfloat into each other
// when asked, and refuses to turn a float into a bfloat unasked.
//
// Every conversion rounds to nearest even; a NaN stays a (quiet) NaN.
#pragma once

#include "type_traits.h"

namespace metal_host {

METAL_HOST_INLINE constexpr ushort bfloat_bits(float value) {
  const uint bits = __builtin_bit_cast(uint, value);
  const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  const uint rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
  return static_cast<ushort>(is_nan ? (bits >> 16) | 0x40U : rounded >> 16);
}

METAL_HOST_INLINE constexpr float bfloat_value(ushort bits) {
  return __builtin_bit_cast(float, static_cast<uint>(bits) << 16);
}

template <typename T>
constant constexpr bool is_wider_float_v =
    __is_same(T, float) || __is_same(T, half);

}  // namespace metal_host

#define METAL_HOST_BFLOAT_OPERATOR(OP)                                        \
  METAL_HOST_INLINE friend constexpr bfloat operator OP(bfloat a, bfloat b) { \
    return bfloat(static_cast<float>(a) OP static_cast<float>(b));            \
  }                                                                           \
  template <typename I, metal::enable_if_t<metal::is_integral_v<I>, int> = 0> \
  METAL_HOST_INLINE friend constexpr bfloat operator OP(bfloat a, I b) {      \
    return bfloat(static_cast<float>(a) OP static_cast<float>(b));            \
  }                                                                           \
  template <typename I, metal::enable_if_t<metal::is_integral_v<I>, int> = 0> \
  METAL_HOST_INLINE friend constexpr bfloat operator OP(I a, bfloat b) {      \
    return bfloat(static_cast<float>(a) OP static_cast<float>(b));            \
  }                                                                           \
  template <typename A>                                                       \
  METAL_HOST_INLINE bfloat& operator OP## = (A other) & {                     \
    bits = metal_host::bfloat_bits(static_cast<float>(*this)                  \
                                       OP static_cast<float>(other));         \
    return *this;                                                             \
  }

struct bfloat {
  ushort bits;

  bfloat() = default;
  constexpr bfloat(const bfloat&) = default;
  // Templates, so that copying stays trivial: a union may hold a bfloat.
  template <typename V,
            metal::enable_if_t<metal::is_same_v<V, bfloat>, int> = 0>
  METAL_HOST_INLINE constexpr bfloat(const V& other) constant
      : bits(other.bits) {}
  template <typename V,
            metal::enable_if_t<metal::is_same_v<V, bfloat>, int> = 0>
  METAL_HOST_INLINE constexpr bfloat(const constant V& other)
      : bits(other.bits) {}
  template <typename V,
            metal::enable_if_t<metal::is_same_v<V, bfloat>, int> = 0>
  METAL_HOST_INLINE constexpr bfloat(const constant V& other) constant
      : bits(other.bits) {}

  template <typename I, metal::enable_if_t<metal::is_integral_v<I>, int> = 0>
  METAL_HOST_INLINE constexpr bfloat(I value)
      : bits(metal_host::bfloat_bits(static_cast<float>(value))) {}
  template <typename I, metal::enable_if_t<metal::is_integral_v<I>, int> = 0>
  METAL_HOST_INLINE constexpr bfloat(I value) constant
      : bits(metal_host::bfloat_bits(static_cast<float>(value))) {}
  template <typename F,
            metal::enable_if_t<metal_host::is_wider_float_v<F>, int> = 0>
  METAL_HOST_INLINE explicit constexpr bfloat(F value)
      : bits(metal_host::bfloat_bits(static_cast<float>(value))) {}
  template <typename F,
            metal::enable_if_t<metal_host::is_wider_float_v<F>, int> = 0>
  METAL_HOST_INLINE explicit constexpr bfloat(F value) constant
      : bits(metal_host::bfloat_bits(static_cast<float>(value))) {}

  bfloat& operator=(const bfloat&) = default;
  template <typename V,
            metal::enable_if_t<metal::is_same_v<V, bfloat>, int> = 0>
  METAL_HOST_INLINE bfloat& operator=(const constant V& other) {
    bits = other.bits;
    return *this;
  }

  METAL_HOST_INLINE constexpr operator float() const {
    return metal_host::bfloat_value(bits);
  }
  METAL_HOST_INLINE constexpr operator float() const constant {
    return metal_host::bfloat_value(bits);
  }

  METAL_HOST_BFLOAT_OPERATOR(+)
  METAL_HOST_BFLOAT_OPERATOR(-)
  METAL_HOST_BFLOAT_OPERATOR(*)
  METAL_HOST_BFLOAT_OPERATOR(/)

  METAL_HOST_INLINE friend constexpr bfloat operator-(bfloat a) {
    return __builtin_bit_cast(bfloat, static_cast<ushort>(a.bits ^ 0x8000U));
  }
  METAL_HOST_INLINE friend constexpr bfloat operator+(bfloat a) { return a; }
  METAL_HOST_INLINE bfloat& operator++() & { return *this += 1; }
  METAL_HOST_INLINE bfloat& operator--() & { return *this -= 1; }
  METAL_HOST_INLINE bfloat operator++(int) & {
    const bfloat before = *this;
    *this += 1;
    return before;
  }
  METAL_HOST_INLINE bfloat operator--(int) & {
    const bfloat before = *this;
    *this -= 1;
    return before;
  }
};
static_assert(sizeof(bfloat) == 2 && alignof(bfloat) == 2);
