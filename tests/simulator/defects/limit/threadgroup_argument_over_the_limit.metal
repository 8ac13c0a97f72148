// SPDX-License-Identifier: MIT
// The host asks for a threadgroup argument of sixteen bytes more than 32 KB.
//
// twin: threadgroup_argument_at_the_limit
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
// threadgroup_bytes: 32784
#include <metal_stdlib>
using namespace metal;

kernel void large_argument(  // defect: limit
    device float* output [[buffer(0)]],
    threadgroup float* slots [[threadgroup(0)]],
    uint lane [[thread_index_in_threadgroup]]) {
  slots[lane] = float(lane);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = slots[31 - lane];
}
