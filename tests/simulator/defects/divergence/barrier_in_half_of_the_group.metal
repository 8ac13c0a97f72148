// SPDX-License-Identifier: MIT
// Only the threads of the first simdgroup reach the barrier.
//
// twin: barrier_for_the_whole_group
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void fill_first_half(device float* output [[buffer(0)]],
                            uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  if (thread_index < 32) {
    tile[thread_index] = float(thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
  }
  if (thread_index < 32) {
    output[thread_index] = tile[31 - thread_index];
  }
}
