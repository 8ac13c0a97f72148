// SPDX-License-Identifier: MIT
// All lanes reach the simdgroup barrier.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void exchange_in_half(device float* output [[buffer(0)]],
                             uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float tile[32];
  tile[lane] = float(lane);
  if (lane < 32) {
    simdgroup_barrier(mem_flags::mem_threadgroup);
    output[lane] = tile[lane ^ 1];
  }
}
