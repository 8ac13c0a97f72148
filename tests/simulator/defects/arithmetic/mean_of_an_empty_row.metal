// SPDX-License-Identifier: MIT
// A mean over the entries of each row; the first row has none.
//
// twin: mean_of_an_empty_row_as_zero
// launch: threads=(4, 1, 1) group=(4, 1, 1)
// buffer: int32[4]
// buffer: int32[4]
// buffer: empty int32[4]
#include <metal_stdlib>
using namespace metal;

kernel void mean_of_rows(device const int* sums [[buffer(0)]],
                         device const int* counts [[buffer(1)]],
                         device int* means [[buffer(2)]],
                         uint row [[thread_position_in_grid]]) {
  means[row] = sums[row] / counts[row];  // defect: arithmetic
}
