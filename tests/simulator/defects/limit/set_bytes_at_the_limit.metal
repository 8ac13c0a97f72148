// SPDX-License-Identifier: MIT
// The host passes 4096 bytes by value.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
// buffer: bytes 4096
#include <metal_stdlib>
using namespace metal;

kernel void use_table(device float* output [[buffer(0)]],
                      constant float* table [[buffer(1)]],
                      uint row [[thread_position_in_grid]]) {
  output[row] = table[row];
}
