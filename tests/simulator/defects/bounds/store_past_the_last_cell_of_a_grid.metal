// SPDX-License-Identifier: MIT
// On a grid with three different extents the last thread stores one cell too
// far.
//
// twin: store_into_every_cell_of_a_grid
// launch: threads=(8, 9, 8) group=(4, 3, 2)
// buffer: float32[576]
// at: threadgroup=(1, 2, 3) simdgroup=0 lane=23 buffer=cells offset=2304
#include <metal_stdlib>
using namespace metal;

kernel void number_cells(device float* cells [[buffer(0)]],
                         uint3 cell [[thread_position_in_grid]],
                         uint3 extent [[threads_per_grid]]) {
  const uint plane = cell.z * extent.y + cell.y;
  const uint index = plane * extent.x + cell.x;
  const uint last = extent.x * extent.y * extent.z - 1;
  const uint skip = index == last ? 1 : 0;
  cells[index + skip] = float(index);  // defect: bounds
}
