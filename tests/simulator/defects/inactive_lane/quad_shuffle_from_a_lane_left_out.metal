// SPDX-License-Identifier: MIT
// The lower half of each quad reads the upper half, which is not in the branch.
//
// twin: quad_shuffle_by_the_whole_quad
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
  if (quad_lane < 2) {
    x += quad_shuffle(x, ushort((quad_lane + 2) & 3));  // defect: inactive-lane
  }
  output[lane] = x;
}
