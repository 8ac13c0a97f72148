// SPDX-License-Identifier: MIT
// The number of turns through a loop with a barrier depends on the thread.
//
// twin: barrier_in_a_loop_of_even_length
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: uint32[64]
// buffer: empty uint32[64]
#include <metal_stdlib>
using namespace metal;

kernel void pass_around(device const uint* input [[buffer(0)]],
                        device uint* output [[buffer(1)]],
                        uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup uint tile[64];
  uint sum = 0;
  const uint turns = input[thread_index];
  for (uint turn = 0; turn < turns; ++turn) {
    tile[thread_index] = turn + thread_index;
    threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
    sum += tile[63 - thread_index];
    threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
  }
  output[thread_index] = sum;
}
