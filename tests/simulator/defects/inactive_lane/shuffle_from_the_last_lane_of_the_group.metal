// SPDX-License-Identifier: MIT
// The source lane is limited to the 24 threads of the group.
//
// launch: threads=(8, 9, 4) group=(4, 3, 2)
// buffer: empty float32[288]
#include <metal_stdlib>
using namespace metal;

kernel void shift_by_eight(device float* output [[buffer(0)]],
                           uint3 cell [[thread_position_in_grid]],
                           uint3 extent [[threads_per_grid]],
                           uint lane [[thread_index_in_simdgroup]]) {
  const uint plane = cell.z * extent.y + cell.y;
  const uint index = plane * extent.x + cell.x;
  const ushort source = ushort(min(lane + 8, 23u));
  output[index] = simd_shuffle(float(index), source);
}
