// SPDX-License-Identifier: MIT
// An 8x8 store with a stride of nine needs 71 elements of an array of 64.
//
// twin: matrix_store_into_a_threadgroup_array
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[64]
// buffer: float32[64]
// at: threadgroup=(0, 0, 0) simdgroup=0
#include <metal_stdlib>
using namespace metal;

kernel void stage_tile(device const float* input [[buffer(0)]],
                       device float* output [[buffer(1)]],
                       uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float staged[64];
  simdgroup_float8x8 tile;
  simdgroup_load(tile, input, 8);
  simdgroup_store(tile, staged, 9);  // defect: bounds
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = staged[lane];
}
