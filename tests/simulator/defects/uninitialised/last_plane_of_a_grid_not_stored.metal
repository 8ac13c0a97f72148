// SPDX-License-Identifier: MIT
// On a grid with three different extents the last plane is read but was not
// stored.
//
// twin: every_plane_of_a_grid_stored
// launch: threads=(8, 6, 4) group=(4, 3, 1)
// buffer: empty float32[192]
// buffer: empty float32[192]
// at: threadgroup=(0, 0, 3) simdgroup=0 lane=0 buffer=cells
#include <metal_stdlib>
using namespace metal;

kernel void planes(device float* cells [[buffer(0)]],
                   device float* output [[buffer(1)]],
                   uint3 cell [[thread_position_in_grid]],
                   uint3 extent [[threads_per_grid]]) {
  const uint plane = cell.z * extent.y + cell.y;
  const uint index = plane * extent.x + cell.x;
  if (cell.z + 1 < extent.z) {
    cells[index] = float(index);
  }
  output[index] = cells[index];  // defect: uninitialised
}
