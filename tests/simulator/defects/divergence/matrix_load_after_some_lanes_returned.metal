// SPDX-License-Identifier: MIT
// Lanes of odd number return before the simdgroup loads a matrix.
//
// twin: matrix_load_before_lanes_return
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[64]
// buffer: float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void copy_matrix(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 x;
  if (lane % 2 == 1) {
    return;
  }
  simdgroup_load(x, input, 8);  // defect: divergence
  simdgroup_store(x, output, 8);
}
