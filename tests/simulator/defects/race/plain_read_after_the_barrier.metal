// SPDX-License-Identifier: MIT
// A barrier separates the additions from the read.
//
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: uint32[64]
// buffer: uint32[1]
#include <metal_stdlib>
using namespace metal;

kernel void count_odd(device const uint* input [[buffer(0)]],
                      device uint* output [[buffer(1)]],
                      uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup uint count[1];
  if (thread_index == 0) {
    count[0] = 0;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup atomic_uint* counter = (threadgroup atomic_uint*)count;
  const uint x = input[thread_index] & 1;
  atomic_fetch_add_explicit(counter, x, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index == 0) {
    output[0] = count[0];
  }
}
