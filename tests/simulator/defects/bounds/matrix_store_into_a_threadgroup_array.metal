// SPDX-License-Identifier: MIT
// An 8x8 store with a stride of eight fills an array of 64.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[64]
// buffer: float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void stage_tile(device const float* input [[buffer(0)]],
                       device float* output [[buffer(1)]],
                       uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float staged[64];
  simdgroup_float8x8 tile;
  simdgroup_load(tile, input, 8);
  simdgroup_store(tile, staged, 8);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = staged[lane];
}
