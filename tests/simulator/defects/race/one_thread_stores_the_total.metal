// SPDX-License-Identifier: MIT
// One thread stores the word that all read.
//
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: float32[64]
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void share_one_value(device const float* input [[buffer(0)]],
                            device float* output [[buffer(1)]],
                            uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float total[1];
  if (thread_index == 63) {
    total[0] = input[thread_index];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[thread_index] = total[0];
}
