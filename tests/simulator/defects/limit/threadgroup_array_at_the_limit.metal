// SPDX-License-Identifier: MIT
// One threadgroup array needs exactly 32 KB.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void large_tile(device float* output [[buffer(0)]],
                       uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[8192];
  tile[lane * 256] = float(lane);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[(31 - lane) * 256];
}
