// SPDX-License-Identifier: MIT
// Two threadgroup arrays together need exactly 32 KB.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void two_tiles(device float* output [[buffer(0)]],
                      uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float4 rows[1024];
  threadgroup float4 columns[1024];
  rows[lane] = float4(float(lane));
  columns[lane] = float4(2.0f);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = rows[31 - lane].x + columns[31 - lane].y;
}
