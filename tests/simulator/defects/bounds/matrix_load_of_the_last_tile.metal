// SPDX-License-Identifier: MIT
// The 8x8 load covers the last whole tile.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[128]
// buffer: float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void copy_last_tile(device const float* input [[buffer(0)]],
                           device float* output [[buffer(1)]]) {
  simdgroup_float8x8 tile;
  simdgroup_load(tile, input + 64, 8);
  simdgroup_store(tile, output, 8);
}
