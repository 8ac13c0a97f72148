// SPDX-License-Identifier: MIT
// Two threadgroup arrays together need sixteen bytes more than 32 KB.
//
// twin: sum_of_threadgroup_arrays_at_the_limit
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void two_tiles(  // defect: limit
    device float* output [[buffer(0)]],
    uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float4 rows[1024];
  threadgroup float4 columns[1025];
  rows[lane] = float4(float(lane));
  columns[lane] = float4(2.0f);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = rows[31 - lane].x + columns[31 - lane].y;
}
