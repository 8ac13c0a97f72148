// SPDX-License-Identifier: MIT
// <metal_pack>: vectors of fractions in the bits of one integer, the first
// component lowest. Values are clamped and rounded to the nearest code.
#pragma once

#include "geometric_functions.h"

namespace metal {
namespace packed_format {

// One component: code / largest; codes of a signed one reach from -largest.
METAL_HOST_INLINE float unsigned_part(uint word, uint shift, uint bits) {
  const uint largest = (1U << bits) - 1;
  return static_cast<float>((word >> shift) & largest) /
         static_cast<float>(largest);
}
METAL_HOST_INLINE float signed_part(uint word, uint shift, uint bits) {
  const int code = static_cast<int>(word << (32 - shift - bits)) >>
                   static_cast<int>(32 - bits);
  const float largest = static_cast<float>((1U << (bits - 1)) - 1);
  return fmax(static_cast<float>(code) / largest, -1.0F);
}
METAL_HOST_INLINE uint unsigned_code(float x, uint shift, uint bits) {
  const float largest = static_cast<float>((1U << bits) - 1);
  return static_cast<uint>(rint(saturate(x) * largest)) << shift;
}
METAL_HOST_INLINE uint signed_code(float x, uint shift, uint bits) {
  const float largest = static_cast<float>((1U << (bits - 1)) - 1);
  const float inside = fmin(fmax(x, -1.0F), 1.0F);
  const int code = static_cast<int>(rint(inside * largest));
  return (static_cast<uint>(code) & ((1U << bits) - 1)) << shift;
}
METAL_HOST_INLINE float linear_part(float x) {
  return x <= 0.04045F ? x / 12.92F : pow((x + 0.055F) / 1.055F, 2.4F);
}
METAL_HOST_INLINE float gamma_part(float x) {
  const float inside = saturate(x);
  return inside < 0.0031308F ? inside * 12.92F
                             : 1.055F * pow(inside, 1.0F / 2.4F) - 0.055F;
}

}  // namespace packed_format

// Functions for float and for half, which is computed in float.
#define METAL_HOST_UNPACK(NAME, WORD, LANES, ...)                      \
  METAL_HOST_INLINE float##LANES unpack_##NAME##_to_float(WORD word) { \
    using namespace packed_format;                                     \
    return float##LANES(__VA_ARGS__);                                  \
  }                                                                    \
  METAL_HOST_INLINE half##LANES unpack_##NAME##_to_half(WORD word) {   \
    return half##LANES(unpack_##NAME##_to_float(word));                \
  }
#define METAL_HOST_PACK(NAME, WORD, LANES, EXPRESSION)          \
  METAL_HOST_INLINE WORD pack_float_to_##NAME(float##LANES x) { \
    using namespace packed_format;                              \
    return static_cast<WORD>(EXPRESSION);                       \
  }                                                             \
  METAL_HOST_INLINE WORD pack_half_to_##NAME(half##LANES x) {   \
    return pack_float_to_##NAME(float##LANES(x));               \
  }

METAL_HOST_UNPACK(unorm4x8,
                  uint,
                  4,
                  unsigned_part(word, 0, 8),
                  unsigned_part(word, 8, 8),
                  unsigned_part(word, 16, 8),
                  unsigned_part(word, 24, 8))
METAL_HOST_UNPACK(snorm4x8,
                  uint,
                  4,
                  signed_part(word, 0, 8),
                  signed_part(word, 8, 8),
                  signed_part(word, 16, 8),
                  signed_part(word, 24, 8))
METAL_HOST_UNPACK(unorm4x8_srgb,
                  uint,
                  4,
                  linear_part(unsigned_part(word, 0, 8)),
                  linear_part(unsigned_part(word, 8, 8)),
                  linear_part(unsigned_part(word, 16, 8)),
                  unsigned_part(word, 24, 8))
METAL_HOST_UNPACK(unorm2x16,
                  uint,
                  2,
                  unsigned_part(word, 0, 16),
                  unsigned_part(word, 16, 16))
METAL_HOST_UNPACK(snorm2x16,
                  uint,
                  2,
                  signed_part(word, 0, 16),
                  signed_part(word, 16, 16))
METAL_HOST_UNPACK(unorm10a2,
                  uint,
                  4,
                  unsigned_part(word, 0, 10),
                  unsigned_part(word, 10, 10),
                  unsigned_part(word, 20, 10),
                  unsigned_part(word, 30, 2))
METAL_HOST_UNPACK(unorm565,
                  ushort,
                  3,
                  unsigned_part(word, 11, 5),
                  unsigned_part(word, 5, 6),
                  unsigned_part(word, 0, 5))

METAL_HOST_PACK(unorm4x8,
                uint,
                4,
                unsigned_code(x.x, 0, 8) | unsigned_code(x.y, 8, 8) |
                    unsigned_code(x.z, 16, 8) | unsigned_code(x.w, 24, 8))
METAL_HOST_PACK(snorm4x8,
                uint,
                4,
                signed_code(x.x, 0, 8) | signed_code(x.y, 8, 8) |
                    signed_code(x.z, 16, 8) | signed_code(x.w, 24, 8))
METAL_HOST_PACK(srgb_unorm4x8,
                uint,
                4,
                unsigned_code(gamma_part(x.x), 0, 8) |
                    unsigned_code(gamma_part(x.y), 8, 8) |
                    unsigned_code(gamma_part(x.z), 16, 8) |
                    unsigned_code(x.w, 24, 8))
METAL_HOST_PACK(unorm2x16,
                uint,
                2,
                unsigned_code(x.x, 0, 16) | unsigned_code(x.y, 16, 16))
METAL_HOST_PACK(snorm2x16,
                uint,
                2,
                signed_code(x.x, 0, 16) | signed_code(x.y, 16, 16))
METAL_HOST_PACK(unorm10a2,
                uint,
                4,
                unsigned_code(x.x, 0, 10) | unsigned_code(x.y, 10, 10) |
                    unsigned_code(x.z, 20, 10) | unsigned_code(x.w, 30, 2))
METAL_HOST_PACK(unorm565,
                ushort,
                3,
                unsigned_code(x.x, 11, 5) | unsigned_code(x.y, 5, 6) |
                    unsigned_code(x.z, 0, 5))

}  // namespace metal
