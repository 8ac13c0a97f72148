// SPDX-License-Identifier: MIT
// The mirror of element 0 is taken as the length, which is behind the end.
//
// twin: reversed_index_with_minus_one
// launch: threads=(6, 4, 2) group=(3, 2, 1)
// buffer: int32[48]
// buffer: empty int32[48]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=input offset=192
#include <metal_stdlib>
using namespace metal;

kernel void reverse(device const int* input [[buffer(0)]],
                    device int* output [[buffer(1)]],
                    uint3 cell [[thread_position_in_grid]],
                    uint3 extent [[threads_per_grid]]) {
  const uint length = extent.x * extent.y * extent.z;
  const uint index = (cell.z * extent.y + cell.y) * extent.x + cell.x;
  output[index] = input[length - index];  // defect: bounds
}
