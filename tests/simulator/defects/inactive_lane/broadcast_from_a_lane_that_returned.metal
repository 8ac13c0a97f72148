// SPDX-License-Identifier: MIT
// Lane 0 has returned when the others ask for its value.
//
// twin: broadcast_from_a_lane_that_stayed
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void share_first(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint lane [[thread_index_in_simdgroup]]) {
  const float x = input[lane];
  if (lane == 0) {
    return;
  }
  output[lane] = x + simd_broadcast(x, 0);  // defect: inactive-lane
}
