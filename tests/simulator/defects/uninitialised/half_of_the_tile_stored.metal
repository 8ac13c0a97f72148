// SPDX-License-Identifier: MIT
// One simdgroup fills its half of the tile, then both halves are read.
//
// twin: all_of_the_tile_stored
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: float32[64]
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void mirror(device const float* input [[buffer(0)]],
                   device float* output [[buffer(1)]],
                   uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  if (thread_index < 32) {
    tile[thread_index] = input[thread_index];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[thread_index] = tile[63 - thread_index];  // defect: uninitialised
}
