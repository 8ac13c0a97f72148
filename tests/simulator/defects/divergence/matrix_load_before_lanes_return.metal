// SPDX-License-Identifier: MIT
// No lane returns before the simdgroup has loaded and stored the matrix.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[64]
// buffer: float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void copy_matrix(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 x;
  if (lane % 2 == 2) {
    return;
  }
  simdgroup_load(x, input, 8);
  simdgroup_store(x, output, 8);
}
