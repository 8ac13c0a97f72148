// SPDX-License-Identifier: MIT
// Even slots of a threadgroup argument are stored, odd slots are read as well.
//
// twin: threadgroup_argument_stored
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
// threadgroup_bytes: 256
#include <metal_stdlib>
using namespace metal;

kernel void spread(device float* output [[buffer(0)]],
                   threadgroup float* slots [[threadgroup(0)]],
                   uint lane [[thread_index_in_threadgroup]]) {
  slots[2 * lane] = float(lane);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = slots[31 - lane];  // defect: uninitialised
}
