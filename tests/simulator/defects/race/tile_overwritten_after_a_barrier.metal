// SPDX-License-Identifier: MIT
// A second barrier ends the reads before the next turn overwrites the tile.
//
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: float32[256]
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void sum_of_mirrors(device const float* input [[buffer(0)]],
                           device float* output [[buffer(1)]],
                           uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  float sum = 0.0f;
  for (uint step = 0; step < 4; ++step) {
    tile[thread_index] = input[step * 64 + thread_index];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += tile[63 - thread_index];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  output[thread_index] = sum;
}
