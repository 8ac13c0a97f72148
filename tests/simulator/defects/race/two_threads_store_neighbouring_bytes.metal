// SPDX-License-Identifier: MIT
// Every thread stores to a byte of its own; neighbouring bytes are no race.
//
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: uint8[64]
// buffer: empty uint8[64]
#include <metal_stdlib>
using namespace metal;

kernel void copy_bytes(device const uchar* input [[buffer(0)]],
                       device uchar* output [[buffer(1)]],
                       uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup uchar tile[64];
  tile[thread_index] = input[thread_index];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[thread_index] = tile[thread_index];
}
