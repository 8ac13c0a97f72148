// SPDX-License-Identifier: MIT
// Every threadgroup stores its rows at its own place of the output.
//
// launch: threads=(128, 1, 1) group=(32, 1, 1)
// buffer: float32[128]
// buffer: float32[128]
#include <metal_stdlib>
using namespace metal;

kernel void copy_rows(device const float* input [[buffer(0)]],
                      device float* output [[buffer(1)]],
                      uint lane [[thread_index_in_threadgroup]],
                      uint row [[thread_position_in_grid]]) {
  output[row] = input[row];
}
