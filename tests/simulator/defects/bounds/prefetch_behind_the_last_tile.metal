// SPDX-License-Identifier: MIT
// The last turn of the loop prefetches a tile that does not exist.
//
// twin: prefetch_while_a_tile_is_left
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[128]
// buffer: empty float32[64]
// buffer: uint32 4
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=input offset=512
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
    if (tile < tiles) {
      current = input[(tile + 1) * 32 + lane];  // defect: bounds
    }
  }
  output[lane] = sum;
  output[32 + lane] = current;
}
