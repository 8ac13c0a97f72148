// SPDX-License-Identifier: MIT
// On a grid with three different extents rows are found by a width of at least
// one.
//
// launch: threads=(4, 3, 2) group=(4, 3, 2)
// buffer: empty uint32[24]
#include <metal_stdlib>
using namespace metal;

kernel void rows_of_cells(device uint* rows [[buffer(0)]],
                          uint3 cell [[thread_position_in_grid]],
                          uint3 extent [[threads_per_grid]]) {
  const uint plane = cell.z * extent.y + cell.y;
  const uint index = plane * extent.x + cell.x;
  const uint width = cell.z + 1;
  rows[index] = index / width;
}
