// SPDX-License-Identifier: MIT
// Odd lanes alone exchange with their even neighbours.
//
// twin: shuffle_xor_by_an_even_mask_among_odd_lanes
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void exchange_odd(device const float* input [[buffer(0)]],
                         device float* output [[buffer(1)]],
                         uint lane [[thread_index_in_simdgroup]]) {
  float x = input[lane];
  if ((lane & 1) != 0) {
    x += simd_shuffle_xor(x, 1);  // defect: inactive-lane
  }
  output[lane] = x;
}
