// SPDX-License-Identifier: MIT
// The host launches groups of 1024 threads.
//
// launch: threads=(2048, 1, 1) group=(1024, 1, 1)
// buffer: empty float32[2048]
#include <metal_stdlib>
using namespace metal;

kernel void number_rows(device float* output [[buffer(0)]],
                        uint row [[thread_position_in_grid]]) {
  output[row] = float(row);
}
