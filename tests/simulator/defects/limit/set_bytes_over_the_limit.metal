// SPDX-License-Identifier: MIT
// The host passes 4112 bytes by value, sixteen more than may be passed.
//
// twin: set_bytes_at_the_limit
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
// buffer: bytes 4112
#include <metal_stdlib>
using namespace metal;

kernel void use_table(  // defect: limit
    device float* output [[buffer(0)]],
    constant float* table [[buffer(1)]],
    uint row [[thread_position_in_grid]]) {
  output[row] = table[row];
}
