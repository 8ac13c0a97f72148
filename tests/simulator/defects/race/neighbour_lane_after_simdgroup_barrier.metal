// SPDX-License-Identifier: MIT
// A simdgroup barrier orders the store before the neighbour's read.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void swap_neighbours(device float* output [[buffer(0)]],
                            uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float tile[32];
  tile[lane] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[lane] = float(lane);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[lane ^ 1];
}
