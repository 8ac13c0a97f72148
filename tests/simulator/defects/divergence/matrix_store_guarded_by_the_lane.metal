// SPDX-License-Identifier: MIT
// The guard of a matrix store differs between the lanes of a simdgroup.
//
// twin: matrix_store_guarded_by_the_simdgroup
// launch: threads=(64, 1, 1) group=(64, 1, 1)
// buffer: float32[64]
// buffer: float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void store_once(device const float* input [[buffer(0)]],
                       device float* output [[buffer(1)]],
                       uint lane [[thread_index_in_simdgroup]],
                       uint group [[simdgroup_index_in_threadgroup]]) {
  simdgroup_float8x8 x;
  simdgroup_load(x, input, 8);
  if (lane == 0) {
    simdgroup_store(x, output, 8);  // defect: divergence
  }
}
