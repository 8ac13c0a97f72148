// SPDX-License-Identifier: MIT
// Only the first threadgroup stores the table; the others read what is not
// theirs.
//
// twin: tile_of_every_threadgroup
// launch: threads=(96, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[96]
#include <metal_stdlib>
using namespace metal;

kernel void use_table(device const float* input [[buffer(0)]],
                      device float* output [[buffer(1)]],
                      uint lane [[thread_index_in_threadgroup]],
                      uint group [[threadgroup_position_in_grid]],
                      uint row [[thread_position_in_grid]]) {
  threadgroup float table[32];
  if (group == 0) {
    table[lane] = input[lane];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[row] = table[31 - lane];  // defect: uninitialised
}
