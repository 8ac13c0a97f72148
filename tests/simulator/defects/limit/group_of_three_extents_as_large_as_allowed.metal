// SPDX-License-Identifier: MIT
// A group of three different extents has the 192 threads that the kernel
// promises.
//
// launch: threads=(16, 12, 4) group=(8, 6, 4)
// buffer: empty float32[768]
#include <metal_stdlib>
using namespace metal;

[[max_total_threads_per_threadgroup(192)]]
kernel void number_cells(device float* output [[buffer(0)]],
                         uint3 cell [[thread_position_in_grid]],
                         uint3 extent [[threads_per_grid]]) {
  const uint plane = cell.z * extent.y + cell.y;
  output[plane * extent.x + cell.x] = float(plane);
}
