// SPDX-License-Identifier: MIT
// The kernel stores to an output buffer that holds no values yet.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void accumulate(device const float* input [[buffer(0)]],
                       device float* output [[buffer(1)]],
                       uint row [[thread_position_in_grid]]) {
  output[row] = input[row];
}
