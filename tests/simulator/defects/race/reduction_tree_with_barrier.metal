// SPDX-License-Identifier: MIT
// A barrier ends every level of the reduction tree.
//
// launch: threads=(128, 1, 1) group=(128, 1, 1)
// buffer: float32[128]
// buffer: float32[1]
#include <metal_stdlib>
using namespace metal;

kernel void sum_by_tree(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float partial[128];
  partial[thread_index] = input[thread_index];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint reach = 64; reach > 0; reach /= 2) {
    if (thread_index < reach) {
      partial[thread_index] += partial[thread_index + reach];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (thread_index == 0) {
    output[0] = partial[0];
  }
}
