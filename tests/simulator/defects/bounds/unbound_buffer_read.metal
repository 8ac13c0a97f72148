// SPDX-License-Identifier: MIT
// The optional buffer is read exactly when it was not given.
//
// twin: unbound_buffer_left_alone
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: none
// buffer: uint32 0
// buffer: empty float32[32]
// at: threadgroup=(0, 0, 0) buffer=bias
#include <metal_stdlib>
using namespace metal;

kernel void add_bias(device const float* input [[buffer(0)]],
                     device const float* bias [[buffer(1)]],
                     constant uint& has_bias [[buffer(2)]],
                     device float* output [[buffer(3)]],
                     uint row [[thread_position_in_grid]]) {
  float sum = input[row];
  if (has_bias == 0) {
    sum += bias[row];  // defect: bounds
  }
  output[row] = sum;
}
