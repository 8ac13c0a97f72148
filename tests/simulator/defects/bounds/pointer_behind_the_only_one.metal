// SPDX-License-Identifier: MIT
// A thread's array of one pointer into a buffer is indexed like a list of two.
//
// twin: pointer_that_is_the_only_one
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: uint32 1
#include <metal_stdlib>
using namespace metal;

kernel void set_row(device float* output [[buffer(0)]],
                    constant uint& row [[buffer(1)]],
                    uint column [[thread_position_in_grid]]) {
  device float* rows[1] = {output};
  rows[row][column] = 1.0f;  // defect: bounds
}
