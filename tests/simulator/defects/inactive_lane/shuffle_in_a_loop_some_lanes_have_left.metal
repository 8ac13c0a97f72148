// SPDX-License-Identifier: MIT
// Lanes leave the loop one by one and are read by those that stay.
//
// twin: shuffle_in_a_loop_all_lanes_share
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: uint32[32]
// buffer: uint32[32]
#include <metal_stdlib>
using namespace metal;

kernel void walk(device const uint* input [[buffer(0)]],
                 device uint* output [[buffer(1)]],
                 uint lane [[thread_index_in_simdgroup]]) {
  uint x = input[lane];
  const uint turns = lane;
  for (uint turn = 0; turn < turns; ++turn) {
    x += simd_shuffle(x, 0) + turn;  // defect: inactive-lane
  }
  output[lane] = x;
}
