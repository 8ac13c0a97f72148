// SPDX-License-Identifier: MIT
// The index stays in the first threadgroup array.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
// buffer: uint32 15
#include <metal_stdlib>
using namespace metal;

kernel void fill_two_tiles(device float* output [[buffer(0)]],
                           constant uint& last [[buffer(1)]],
                           uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float rows[16];
  threadgroup float columns[16];
  if (lane < 16) {
    columns[lane] = 2.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane <= min(last, 15u)) {
    rows[lane] = float(lane);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = rows[lane & 15] + columns[lane & 15];
}
