// SPDX-License-Identifier: MIT
// Every plane of each group reaches the barrier.
//
// launch: threads=(8, 3, 12) group=(4, 3, 4)
// buffer: empty float32[288]
#include <metal_stdlib>
using namespace metal;

kernel void mirror_in_group(device float* output [[buffer(0)]],
                            uint3 cell [[thread_position_in_grid]],
                            uint3 local [[thread_position_in_threadgroup]],
                            uint3 extent [[threads_per_grid]],
                            uint slot [[thread_index_in_threadgroup]]) {
  threadgroup float tile[48];
  tile[slot] = float(slot);
  if (local.z != 4) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  const uint plane = cell.z * extent.y + cell.y;
  output[plane * extent.x + cell.x] = tile[slot];
}
