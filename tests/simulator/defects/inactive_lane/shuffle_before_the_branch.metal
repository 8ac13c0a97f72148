// SPDX-License-Identifier: MIT
// The shuffle is done by all lanes, the branch only stores.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void fold_upper_half(device const float* input [[buffer(0)]],
                            device float* output [[buffer(1)]],
                            uint lane [[thread_index_in_simdgroup]]) {
  const float x = input[lane];
  const float y = simd_shuffle(x, (lane + 16) & 31);
  if (lane < 16) {
    output[lane] = x + y;
  }
}
