// SPDX-License-Identifier: MIT
// Rows of even pitch keep vectors of two aligned.
//
// launch: threads=(4, 6, 5) group=(2, 3, 1)
// buffer: float32[320]
// buffer: empty float32[120]
#include <metal_stdlib>
using namespace metal;

kernel void sum_pairs(device const float* input [[buffer(0)]],
                      device float* output [[buffer(1)]],
                      uint3 cell [[thread_position_in_grid]],
                      uint3 extent [[threads_per_grid]]) {
  const uint pitch = 10;
  const uint row = cell.z * extent.y + cell.y;
  device const float* start = input + row * pitch + 2 * cell.x;
  const float2 x = *(device const float2*)start;
  output[row * extent.x + cell.x] = x.x + x.y;
}
