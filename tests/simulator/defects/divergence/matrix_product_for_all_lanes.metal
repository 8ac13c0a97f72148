// SPDX-License-Identifier: MIT
// All lanes take part in the matrix product.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[64]
// buffer: float32[64]
#include <metal_stdlib>
using namespace metal;

kernel void square(device const float* input [[buffer(0)]],
                   device float* output [[buffer(1)]],
                   uint lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 x;
  simdgroup_float8x8 sum = simdgroup_float8x8(0.0f);
  simdgroup_load(x, input, 8);
  if (lane < 32) {
    simdgroup_multiply_accumulate(sum, x, x, sum);
  }
  simdgroup_store(sum, output, 8);
}
