// SPDX-License-Identifier: MIT
// On a grid with three different extents rows of odd pitch misalign vectors of
// two.
//
// twin: float2_rows_of_even_pitch_in_a_grid
// launch: threads=(4, 6, 5) group=(2, 3, 1)
// buffer: float32[320]
// buffer: empty float32[120]
// at: threadgroup=(0, 0, 0) simdgroup=0 buffer=input offset=36
#include <metal_stdlib>
using namespace metal;

kernel void sum_pairs(device const float* input [[buffer(0)]],
                      device float* output [[buffer(1)]],
                      uint3 cell [[thread_position_in_grid]],
                      uint3 extent [[threads_per_grid]]) {
  const uint pitch = 9;
  const uint row = cell.z * extent.y + cell.y;
  device const float* start = input + row * pitch + 2 * cell.x;
  const float2 x = *(device const float2*)start;  // defect: alignment
  output[row * extent.x + cell.x] = x.x + x.y;
}
