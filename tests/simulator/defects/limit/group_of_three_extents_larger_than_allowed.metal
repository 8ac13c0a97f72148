// SPDX-License-Identifier: MIT
// A group of three different extents has 192 threads where the kernel promises
// 128.
//
// twin: group_of_three_extents_as_large_as_allowed
// launch: threads=(16, 12, 4) group=(8, 6, 4)
// buffer: empty float32[768]
#include <metal_stdlib>
using namespace metal;

[[max_total_threads_per_threadgroup(128)]]
kernel void number_cells(  // defect: limit
    device float* output [[buffer(0)]],
    uint3 cell [[thread_position_in_grid]],
    uint3 extent [[threads_per_grid]]) {
  const uint plane = cell.z * extent.y + cell.y;
  output[plane * extent.x + cell.x] = float(plane);
}
