// SPDX-License-Identifier: MIT
// Threads add to one threadgroup word without an atomic operation.
//
// twin: atomic_additions_to_one_word
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: uint32[64]
// buffer: uint32[1]
#include <metal_stdlib>
using namespace metal;

kernel void count_set_bits(device const uint* input [[buffer(0)]],
                           device uint* output [[buffer(1)]],
                           uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup uint count;
  if (thread_index == 0) {
    count = 0;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint bits = popcount(input[thread_index]);
  count += bits;  // defect: race
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index == 0) {
    output[0] = count;
  }
}
