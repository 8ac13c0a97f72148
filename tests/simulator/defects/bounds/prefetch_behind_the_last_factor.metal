// SPDX-License-Identifier: MIT
// The last turn of the loop prefetches a factor that does not exist.
//
// twin: prefetch_while_a_factor_is_left
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[128]
// buffer: float32[4]
// buffer: empty float32[64]
// buffer: uint32 4
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=factors offset=16
#include <metal_stdlib>
using namespace metal;

kernel void sum_scaled_tiles(device const float* input [[buffer(0)]],
                             device const float* factors [[buffer(1)]],
                             device float* output [[buffer(2)]],
                             constant uint& tiles [[buffer(3)]],
                             uint lane [[thread_position_in_grid]]) {
  float factor = 1.0f;
  float sum = 0.0f;
  for (uint tile = 0; tile < tiles; ++tile) {
    sum += factor * input[tile * 32 + lane];
    if (tile < tiles) {
      factor = factors[tile + 1];  // defect: bounds
    }
  }
  output[lane] = sum;
  output[32 + lane] = factor;
}
