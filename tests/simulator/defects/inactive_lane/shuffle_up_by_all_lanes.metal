// SPDX-License-Identifier: MIT
// All lanes take part in the shift by four.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void shift_up(device const float* input [[buffer(0)]],
                     device float* output [[buffer(1)]],
                     uint lane [[thread_index_in_simdgroup]]) {
  float x = input[lane];
  if (lane >= 0) {
    const float y = simd_shuffle_up(x, 4);
    x += lane < 4 ? 0.0f : y;
  }
  output[lane] = x;
}
