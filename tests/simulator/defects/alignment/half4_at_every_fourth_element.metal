// SPDX-License-Identifier: MIT
// A vector of four halves is loaded from a multiple of 8.
//
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: float16[64]
// buffer: empty float32[8]
#include <metal_stdlib>
using namespace metal;

kernel void sum_halves(device const half* input [[buffer(0)]],
                       device float* output [[buffer(1)]],
                       uint row [[thread_position_in_grid]]) {
  device const half* start = input + 4 * row;
  const half4 x = *(device const half4*)start;
  output[row] = float(x.x) + float(x.y) + float(x.z) + float(x.w);
}
