// SPDX-License-Identifier: MIT
// Threads add to one threadgroup word by an atomic operation.
//
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: uint32[64]
// buffer: uint32[1]
#include <metal_stdlib>
using namespace metal;

kernel void count_set_bits(device const uint* input [[buffer(0)]],
                           device uint* output [[buffer(1)]],
                           uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint count;
  if (thread_index == 0) {
    atomic_store_explicit(&count, 0u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint bits = popcount(input[thread_index]);
  atomic_fetch_add_explicit(&count, bits, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index == 0) {
    output[0] = atomic_load_explicit(&count, memory_order_relaxed);
  }
}
