// SPDX-License-Identifier: MIT
// The value is taken from the first lane that is still there.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void share_first(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint lane [[thread_index_in_simdgroup]]) {
  const float x = input[lane];
  if (lane == 0) {
    return;
  }
  output[lane] = x + simd_broadcast(x, 1);
}
