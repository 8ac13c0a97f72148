// SPDX-License-Identifier: MIT
// The lower half of the tile is loaded as part of a matrix but was never
// stored.
//
// twin: matrix_loaded_from_a_filled_tile
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[64]
// buffer: empty float32[64]
// at: threadgroup=(0, 0, 0) simdgroup=0
#include <metal_stdlib>
using namespace metal;

kernel void copy_matrix(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float tile[64];
  for (uint cell = lane; cell < 32; cell += 32) {
    tile[cell] = input[cell];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 matrix;
  simdgroup_load(matrix, tile, 8);  // defect: uninitialised
  simdgroup_store(matrix, output, 8);
}
