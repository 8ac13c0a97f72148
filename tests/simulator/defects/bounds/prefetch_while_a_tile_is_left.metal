// SPDX-License-Identifier: MIT
// The loop prefetches only while a tile is left.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[128]
// buffer: empty float32[64]
// buffer: uint32 4
#include <metal_stdlib>
using namespace metal;

kernel void sum_tiles(device const float* input [[buffer(0)]],
                      device float* output [[buffer(1)]],
                      constant uint& tiles [[buffer(2)]],
                      uint lane [[thread_position_in_grid]]) {
  float current = input[lane];
  float sum = 0.0f;
  for (uint tile = 0; tile < tiles; ++tile) {
    sum += current;
    if (tile + 1 < tiles) {
      current = input[(tile + 1) * 32 + lane];
    }
  }
  output[lane] = sum;
  output[32 + lane] = current;
}
