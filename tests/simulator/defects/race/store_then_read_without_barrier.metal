// SPDX-License-Identifier: MIT
// Two simdgroups exchange values through a tile with no barrier between store
// and read.
//
// twin: store_barrier_read
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void reverse_in_tile(device float* output [[buffer(0)]],
                            uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[thread_index] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[thread_index] = float(thread_index);        // defect: race
  output[thread_index] = tile[63 - thread_index];  // defect: race
}
