// SPDX-License-Identifier: MIT
// Threadgroup memory is stored before it is read.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void add_through_tile(device const float* input [[buffer(0)]],
                             device float* output [[buffer(1)]],
                             uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  tile[lane] = 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float x = tile[31 - lane];
  output[lane] = input[lane] + x;
}
