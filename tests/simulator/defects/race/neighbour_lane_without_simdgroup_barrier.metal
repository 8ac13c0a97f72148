// SPDX-License-Identifier: MIT
// Lanes of one simdgroup read what their neighbour stored with nothing in
// between.
//
// twin: neighbour_lane_after_simdgroup_barrier
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void swap_neighbours(device float* output [[buffer(0)]],
                            uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float tile[32];
  tile[lane] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[lane] = float(lane);       // defect: race
  output[lane] = tile[lane ^ 1];  // defect: race
}
