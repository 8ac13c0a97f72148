// SPDX-License-Identifier: MIT
// A counter in threadgroup memory is added to but was never set.
//
// twin: atomic_addition_to_a_cleared_counter
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: uint32[64]
// buffer: empty uint32[1]
#include <metal_stdlib>
using namespace metal;

kernel void sum_all(device const uint* input [[buffer(0)]],
                    device uint* output [[buffer(1)]],
                    uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint sum;
  if (thread_index == 64) {
    atomic_store_explicit(&sum, 0u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint x = input[thread_index];
  atomic_fetch_add_explicit(  // defect: uninitialised
      &sum,
      x,
      memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index == 0) {
    output[0] = atomic_load_explicit(&sum, memory_order_relaxed);
  }
}
