// SPDX-License-Identifier: MIT
// Lanes past the row's end take part with a zero.
//
// launch: threads=(32, 3, 1) group=(32, 1, 1)
// buffer: float32[60]
// buffer: empty float32[3]
// buffer: uint32 20
#include <metal_stdlib>
using namespace metal;

kernel void sum_row(device const float* input [[buffer(0)]],
                    device float* output [[buffer(1)]],
                    constant uint& columns [[buffer(2)]],
                    uint2 cell [[thread_position_in_grid]]) {
  float x = 0.0f;
  if (cell.x < columns) {
    x = input[cell.y * columns + cell.x];
  }
  for (ushort reach = 16; reach > 0; reach /= 2) {
    x += simd_shuffle_down(x, reach);
  }
  if (cell.x == 0) {
    output[cell.y] = x;
  }
}
