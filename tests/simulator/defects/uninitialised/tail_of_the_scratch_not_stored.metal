// SPDX-License-Identifier: MIT
// The last element of the scratch buffer is read but was never stored.
//
// twin: tail_of_the_scratch_stored
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[32]
// buffer: empty float32[32]
// buffer: uint32 32
// at: threadgroup=(0, 0, 0) simdgroup=0 buffer=scratch offset=124
#include <metal_stdlib>
using namespace metal;

kernel void through_scratch(device const float* input [[buffer(0)]],
                            device float* scratch [[buffer(1)]],
                            device float* output [[buffer(2)]],
                            constant uint& length [[buffer(3)]],
                            uint row [[thread_position_in_grid]]) {
  if (row + 1 < length) {
    scratch[row] = 2.0f * input[row];
  }
  threadgroup_barrier(mem_flags::mem_device);
  output[row] = scratch[length - 1 - row];  // defect: uninitialised
}
