// SPDX-License-Identifier: MIT
// A buffer of half values is read through a pointer to float.
//
// twin: half_buffer_read_as_half
// launch: threads=(64, 1, 1) group=(32, 1, 1)
// buffer: float16[64]
// buffer: empty float32[64]
// at: threadgroup=(1, 0, 0) buffer=input
#include <metal_stdlib>
using namespace metal;

kernel void widen(device const float* input [[buffer(0)]],
                  device float* output [[buffer(1)]],
                  uint row [[thread_position_in_grid]]) {
  output[row] = float(input[row]);  // defect: bounds
}
