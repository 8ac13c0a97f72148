// SPDX-License-Identifier: MIT
// A simdgroup barrier does not order what another simdgroup stored.
//
// twin: threadgroup_barrier_between_simdgroups
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: empty int32[64]
#include <metal_stdlib>
using namespace metal;

kernel void read_other_half(device int* output [[buffer(0)]],
                            uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup int tile[64];
  tile[thread_index] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[thread_index] = int(thread_index);  // defect: race
  simdgroup_barrier(mem_flags::mem_threadgroup);
  output[thread_index] = tile[thread_index ^ 32];  // defect: race
}
