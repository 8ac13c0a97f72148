// SPDX-License-Identifier: MIT
// Threads past the length return before the barrier that the others wait at.
//
// twin: guard_around_the_work_only
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: float32[40]
// buffer: empty float32[40]
// buffer: uint32 40
#include <metal_stdlib>
using namespace metal;

kernel void reverse_below_length(device const float* input [[buffer(0)]],
                                 device float* output [[buffer(1)]],
                                 constant uint& length [[buffer(2)]],
                                 uint row [[thread_position_in_grid]]) {
  threadgroup float tile[64];
  if (row >= length) {
    return;
  } else {
    tile[row] = input[row];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);  // defect: divergence
  if (row < length) {
    output[row] = tile[length - 1 - row];
  }
}
