// SPDX-License-Identifier: MIT
// Every thread stores only its own cell.
//
// launch: threads=(8, 6, 4) group=(4, 2, 1)
// buffer: float32[192]
#include <metal_stdlib>
using namespace metal;

kernel void store_with_halo(device float* cells [[buffer(0)]],
                            uint3 cell [[thread_position_in_grid]],
                            uint3 extent [[threads_per_grid]]) {
  const uint plane = cell.z * extent.y + cell.y;
  const uint index = plane * extent.x + cell.x;
  cells[index] = 1.0f;
  if (cell.x == 8) {
    cells[index + 1] = 2.0f;
  }
}
