// SPDX-License-Identifier: MIT
// A threadgroup argument and a threadgroup array together need exactly 32 KB.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
// threadgroup_bytes: 16384
#include <metal_stdlib>
using namespace metal;

kernel void argument_and_tile(device float* output [[buffer(0)]],
                              threadgroup float* slots [[threadgroup(0)]],
                              uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float4 tile[1024];
  tile[lane] = float4(float(lane));
  slots[lane] = 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[31 - lane].z + slots[31 - lane];
}
