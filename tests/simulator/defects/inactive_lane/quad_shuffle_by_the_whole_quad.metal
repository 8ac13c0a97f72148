// SPDX-License-Identifier: MIT
// The whole quad takes part in the shuffle.
//
// launch: threads=(16, 2, 1) group=(16, 2, 1)
// buffer: float32[32]
// buffer: float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void fold_quad(device const float* input [[buffer(0)]],
                      device float* output [[buffer(1)]],
                      uint lane [[thread_index_in_simdgroup]],
                      uint quad_lane [[thread_index_in_quadgroup]]) {
  float x = input[lane];
  if (quad_lane < 4) {
    x += quad_shuffle(x, ushort((quad_lane + 2) & 3));
  }
  output[lane] = x;
}
