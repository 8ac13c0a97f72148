// SPDX-License-Identifier: MIT
// The barrier orders threadgroup memory.
//
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void rotate_in_tile(device float* output [[buffer(0)]],
                           uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[thread_index] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[thread_index] = float(thread_index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[thread_index] = tile[(thread_index + 32) & 63];
}
