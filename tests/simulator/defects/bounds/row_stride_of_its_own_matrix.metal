// SPDX-License-Identifier: MIT
// Rows of eight columns are addressed with the stride of eight.
//
// launch: threads=(8, 8, 1) group=(8, 8, 1)
// buffer: float32[64]
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void copy_matrix(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint2 position [[thread_position_in_grid]]) {
  const uint stride = 8;
  const float x = input[position.y * stride + position.x];
  output[position.y * 8 + position.x] = x;
}
