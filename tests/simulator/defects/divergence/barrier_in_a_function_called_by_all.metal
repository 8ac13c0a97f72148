// SPDX-License-Identifier: MIT
// A function that waits at a barrier is called by the whole group.
//
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

float read_mirrored(threadgroup float* tile, uint slot) {
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return tile[63 - slot];
}

kernel void mirror_half(device float* output [[buffer(0)]],
                        uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[thread_index] = float(thread_index);
  if (thread_index < 64) {
    output[thread_index] = read_mirrored(tile, thread_index);
  }
}
