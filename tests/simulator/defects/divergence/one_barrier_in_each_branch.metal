// SPDX-License-Identifier: MIT
// Threads of one group wait at two different barriers.
//
// twin: one_barrier_after_the_branches
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void two_roles(device float* output [[buffer(0)]],
                      uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  if (thread_index < 32) {
    tile[thread_index] = 1.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
  } else {
    tile[thread_index] = 2.0f + float(thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
  }
  output[thread_index] = tile[63 - thread_index];
}
