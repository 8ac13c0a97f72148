// SPDX-License-Identifier: MIT
// Three lanes of each quad ask for the value of the fourth, which is not there.
//
// twin: quad_broadcast_from_a_lane_taking_part
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void share_in_quad(device const float* input [[buffer(0)]],
                          device float* output [[buffer(1)]],
                          uint lane [[thread_index_in_simdgroup]],
                          uint quad_lane [[thread_index_in_quadgroup]]) {
  float x = input[lane];
  if (quad_lane != 0) {
    x += quad_broadcast(x, 0);  // defect: inactive-lane
  }
  output[lane] = x;
}
