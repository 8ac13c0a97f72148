// SPDX-License-Identifier: MIT
// Every thread stores one element too far, the last one behind the array.
//
// twin: threadgroup_array_filled_exactly
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=31
#include <metal_stdlib>
using namespace metal;

kernel void fill_tile(device float* output [[buffer(0)]],
                      uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  tile[lane + 1] = float(lane);  // defect: bounds
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[max(lane, 1u)];
}
