// SPDX-License-Identifier: MIT
// The host launches groups of 2048 threads.
//
// twin: group_as_large_as_the_device_allows
// launch: threads=(2048, 1, 1) group=(2048, 1, 1)
// buffer: empty float32[2048]
#include <metal_stdlib>
using namespace metal;

kernel void number_rows(  // defect: limit
    device float* output [[buffer(0)]],
    uint row [[thread_position_in_grid]]) {
  output[row] = float(row);
}
