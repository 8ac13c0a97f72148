// SPDX-License-Identifier: MIT
// Every plane of the grid is stored before it is read.
//
// launch: threads=(8, 6, 4) group=(4, 3, 1)
// buffer: empty float32[192]
// buffer: empty float32[192]
#include <metal_stdlib>
using namespace metal;

kernel void planes(device float* cells [[buffer(0)]],
                   device float* output [[buffer(1)]],
                   uint3 cell [[thread_position_in_grid]],
                   uint3 extent [[threads_per_grid]]) {
  const uint plane = cell.z * extent.y + cell.y;
  const uint index = plane * extent.x + cell.x;
  if (cell.z < extent.z) {
    cells[index] = float(index);
  }
  output[index] = cells[index];
}
