// SPDX-License-Identifier: MIT
// Groups of 24 threads, on a grid with three different extents, read lanes 24
// to 31.
//
// twin: shuffle_from_the_last_lane_of_the_group
// launch: threads=(8, 9, 4) group=(4, 3, 2)
// buffer: empty float32[288]
// at: threadgroup=(0, 0, 0) simdgroup=0
#include <metal_stdlib>
using namespace metal;

kernel void shift_by_eight(device float* output [[buffer(0)]],
                           uint3 cell [[thread_position_in_grid]],
                           uint3 extent [[threads_per_grid]],
                           uint lane [[thread_index_in_simdgroup]]) {
  const uint plane = cell.z * extent.y + cell.y;
  const uint index = plane * extent.x + cell.x;
  const ushort source = ushort(min(lane + 8, 31u));
  output[index] = simd_shuffle(float(index), source);  // defect: inactive-lane
}
