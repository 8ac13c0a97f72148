// SPDX-License-Identifier: MIT
// Sixteen of 32 lanes reach the simdgroup barrier.
//
// twin: simdgroup_barrier_for_all_lanes
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void exchange_in_half(device float* output [[buffer(0)]],
                             uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float tile[32];
  tile[lane] = float(lane);
  if (lane < 16) {
    simdgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
    output[lane] = tile[lane ^ 1];
  }
}
