// SPDX-License-Identifier: MIT
// What can be written with vectors: constructors, swizzles on both sides,
// comparisons, bool vectors, conversions, packed vectors in structs, vectors
// in every address space. Each line of results is checked against numbers
// worked out by hand in the test.
#include <metal_stdlib>

using namespace metal;

struct Packed {
  packed_float3 position;
  packed_short2 cell;
  float4 colour;
};

union Bits {
  float4 values;
  uint words[4];
};

constant float4 table[2] = {float4(1, 2, 3, 4), {5, 6, 7, 8}};
constant float2 unit = 1.0f;

template <typename V>
V mirrored(V v) {
  V result = v.wzyx;
  result.xy += v.xx * 10;
  return result;
}

kernel void vector_forms(device float4* out [[buffer(0)]],
                         device const Packed* packed [[buffer(1)]],
                         constant Packed& constants [[buffer(2)]],
                         threadgroup float4* scratch [[threadgroup(0)]]) {
  const float4 a = float4(1, 2, 3, 4);
  const float4 b = {4, 3, 2, 1};
  int row = 0;
  out[row++] = float4(a.xy, 9, a.w);
  out[row++] = float4(float3(a.zyx), half(0.5h));
  out[row++] = float4(a < b);
  out[row++] = select(a, b, a >= b || isnan(a));
  out[row++] = mirrored(a);
  out[row++] = (float4)(half4(a) * 2.0f) + (float4)(int4(a) / 2);
  float4 c = a;
  c.zw = b.xy;
  c.x -= 1;
  c[1] = 7;
  out[row++] = c;
  const bool4 mask = !(a == float4(1, 0, 3, 0));
  out[row++] = float4(any(mask), all(mask), all(a > 0), mask.y ? 5 : 6);
  Bits bits;
  bits.values = as_type<float4>(as_type<uint4>(a) ^ 0x80000000u);
  out[row++] = float4(bits.values.x,
                      as_type<float>(bits.words[1]),
                      as_type<float>(bits.words[2] & 0x7fffffffu),
                      0);
  out[row++] = float4(packed->position, packed->cell.y);
  Packed first, copy;
  first = constants;
  copy = first;
  out[row++] = float4(copy.position + 1.0f, 1) + constants.colour.bgra;
  scratch[0] = table[1];
  scratch[0].yz = unit;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[row++] = float4x4(2.0f) * (scratch[0] / 2) + table[0].x;
  out[row++] = row > 100 ? packed->colour : float4(2);
  out[row].x = dot(a, b);
  out[row].yzw = cross(a.xyz, b.xyz);
  ++row;
  short2 cell = packed[0].cell;
  cell <<= 2;
  cell = min(cell, short2(20, 6)) | short2(1);
  out[row++] = float4(float2(cell), float2(clamp(int2(-3, 9), 0, 5)));
  const bfloat4 rounded =
      bfloat4(float4(1.00390625f, 1.01171875f, 3e38f, -0.f));
  out[row++] = float4(rounded);
}
