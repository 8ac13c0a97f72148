// SPDX-License-Identifier: MIT
// Rows of eight columns are addressed with the stride of nine.
//
// twin: row_stride_of_its_own_matrix
// launch: threads=(8, 8, 1) group=(8, 8, 1)
// buffer: float32[64]
// buffer: empty float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void copy_matrix(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint2 position [[thread_position_in_grid]]) {
  const uint stride = 9;
  const float x = input[position.y * stride + position.x];  // defect: bounds
  output[position.y * 8 + position.x] = x;
}
