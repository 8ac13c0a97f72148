// SPDX-License-Identifier: MIT
// Lanes in the branch read the value of lanes that are not in it.
//
// twin: shuffle_before_the_branch
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void fold_upper_half(device const float* input [[buffer(0)]],
                            device float* output [[buffer(1)]],
                            uint lane [[thread_index_in_simdgroup]]) {
  const float x = input[lane];
  if (lane < 16) {
    const float y = simd_shuffle(x, lane + 16);  // defect: inactive-lane
    output[lane] = x + y;
  }
}
