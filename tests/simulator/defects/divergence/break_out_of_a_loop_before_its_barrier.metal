// SPDX-License-Identifier: MIT
// A thread that is done leaves the loop while others wait at its barrier.
//
// twin: barrier_before_the_break
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: uint32[64]
// buffer: empty uint32[64]
#include <metal_stdlib>
using namespace metal;

kernel void count_turns(device const uint* input [[buffer(0)]],
                        device uint* output [[buffer(1)]],
                        uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup uint tile[64];
  uint sum = 0;
  for (uint turn = 0; turn < 4; ++turn) {
    if (turn > input[thread_index] % 4) {
      break;
    }
    tile[thread_index] = turn + thread_index;
    threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
    sum += tile[63 - thread_index];
    threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
  }
  output[thread_index] = sum;
}
