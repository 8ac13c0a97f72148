// SPDX-License-Identifier: MIT
// Every thread stores its own element.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void fill_tile(device float* output [[buffer(0)]],
                      uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  tile[lane] = float(lane);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[max(lane, 1u)];
}
