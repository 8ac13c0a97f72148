// SPDX-License-Identifier: MIT
// One threadgroup array needs four bytes more than 32 KB.
//
// twin: threadgroup_array_at_the_limit
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void large_tile(  // defect: limit
    device float* output [[buffer(0)]],
    uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[8193];
  tile[lane * 256] = float(lane);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[(31 - lane) * 256];
}
