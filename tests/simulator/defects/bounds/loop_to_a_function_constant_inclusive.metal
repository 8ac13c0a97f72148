// SPDX-License-Identifier: MIT
// A loop over the rows given by a function constant runs once too often.
//
// twin: loop_to_a_function_constant_exclusive
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// constant: 0 12
// buffer: float32[96]
// buffer: empty float32[8]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=input offset=384
#include <metal_stdlib>
using namespace metal;

constant uint kRows [[function_constant(0)]];

kernel void sum_rows(device const float* input [[buffer(0)]],
                     device float* output [[buffer(1)]],
                     uint column [[thread_position_in_grid]]) {
  float sum = 0.0f;
  for (uint row = 0; row <= kRows; ++row) {
    sum += input[row * 8 + column];  // defect: bounds
  }
  output[column] = sum;
}
