// SPDX-License-Identifier: MIT
// An 8x8 load begins one row below the last whole tile.
//
// twin: matrix_load_of_the_last_tile
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[128]
// buffer: float32[64]
// at: threadgroup=(0, 0, 0) simdgroup=0 buffer=input
#include <metal_stdlib>
using namespace metal;

kernel void copy_last_tile(device const float* input [[buffer(0)]],
                           device float* output [[buffer(1)]]) {
  simdgroup_float8x8 tile;
  simdgroup_load(tile, input + 72, 8);  // defect: bounds
  simdgroup_store(tile, output, 8);
}
