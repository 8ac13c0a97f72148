// SPDX-License-Identifier: MIT
// Conversions of numbers out of range, quads whose shuffles fill, and memory
// that other threads watch.
#include <metal_stdlib>

using namespace metal;

kernel void saturate_conversions(device const float* x [[buffer(0)]],
                                 device int* words [[buffer(1)]],
                                 device uint* unsigned_words [[buffer(2)]],
                                 device ushort* vectors [[buffer(3)]],
                                 uint i [[thread_position_in_grid]]) {
  words[i] = int(x[i]);
  unsigned_words[i] = uint(x[i]);
  vectors[i] = ushort2(float2(x[i])).y;
}

kernel void fill_quads(device int* down [[buffer(0)]],
                       device int* up [[buffer(1)]],
                       uint lane [[thread_index_in_simdgroup]]) {
  const int value = lane;
  down[lane] = quad_shuffle_and_fill_down(value, 100 + value, 1);
  up[lane] = quad_shuffle_and_fill_up(value, 100 + value, 1);
}

kernel void ring_doorbell(volatile device coherent(device) uint* bell
                          [[buffer(0)]],
                          device coherent uint* seen [[buffer(1)]]) {
  bell[1] = bell[0] + 1;
  seen[0] = bell[1];
}

kernel void take_apart(device const short4* x [[buffer(0)]],
                       device float4* y [[buffer(1)]],
                       device int4* out [[buffer(2)]]) {
  out[0] = int4(extract_bits(x[0], 4, 8));
  out[1] = int4(insert_bits(x[0], x[1], 4, 8));
  out[2] = int4(absdiff(x[0], x[1]));
  out[2] += int4(rotate(uint4(out[3]), 8u)) + int4(addsat(x[0], short(0)));
  out[3] = ilogb(y[0]);
  int4 exponents;
  y[1] = frexp(y[0], exponents);
  out[4] = exponents;
}
