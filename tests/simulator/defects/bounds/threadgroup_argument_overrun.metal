// SPDX-License-Identifier: MIT
// A threadgroup argument of 32 floats is used as if it had 33.
//
// twin: threadgroup_argument_within_its_length
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
// threadgroup_bytes: 128
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=31
#include <metal_stdlib>
using namespace metal;

kernel void mirror_through_tile(device float* output [[buffer(0)]],
                                threadgroup float* tile [[threadgroup(0)]],
                                uint lane [[thread_index_in_threadgroup]]) {
  const uint slot = 32 - lane;
  tile[31 - slot % 32] = 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[31 - lane] + float(slot);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[lane + 1] = 0.0f;  // defect: bounds
}
