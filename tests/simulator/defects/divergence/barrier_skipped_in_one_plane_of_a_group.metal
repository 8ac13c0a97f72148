// SPDX-License-Identifier: MIT
// On a grid with three different extents one plane of each group skips the
// barrier.
//
// twin: barrier_reached_in_every_plane_of_a_group
// launch: threads=(8, 3, 12) group=(4, 3, 4)
// buffer: empty float32[288]
// at: threadgroup=(0, 0, 0)
#include <metal_stdlib>
using namespace metal;

kernel void mirror_in_group(device float* output [[buffer(0)]],
                            uint3 cell [[thread_position_in_grid]],
                            uint3 local [[thread_position_in_threadgroup]],
                            uint3 extent [[threads_per_grid]],
                            uint slot [[thread_index_in_threadgroup]]) {
  threadgroup float tile[48];
  tile[slot] = float(slot);
  if (local.z != 3) {
    threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
  }
  const uint plane = cell.z * extent.y + cell.y;
  output[plane * extent.x + cell.x] = tile[slot];
}
