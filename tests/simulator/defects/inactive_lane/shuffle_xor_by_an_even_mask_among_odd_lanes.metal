// SPDX-License-Identifier: MIT
// Odd lanes alone exchange with other odd lanes.
//
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
    x += simd_shuffle_xor(x, 2);
  }
  output[lane] = x;
}
