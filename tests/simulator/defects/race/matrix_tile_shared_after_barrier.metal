// SPDX-License-Identifier: MIT
// A barrier stands between the matrix store and the load by another simdgroup.
//
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: float32[128]
// buffer: float32[128]
#include <metal_stdlib>
using namespace metal;

kernel void exchange_tiles(device const float* input [[buffer(0)]],
                           device float* output [[buffer(1)]],
                           uint thread_index [[thread_index_in_threadgroup]],
                           uint group [[simdgroup_index_in_threadgroup]]) {
  threadgroup float tiles[128];
  tiles[thread_index] = 0.0f;
  tiles[thread_index + 64] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 tile;
  simdgroup_load(tile, input + group * 64, 8);
  simdgroup_store(tile, tiles + group * 64, 8);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_load(tile, tiles + (1 - group) * 64, 8);
  simdgroup_store(tile, output + group * 64, 8);
}
