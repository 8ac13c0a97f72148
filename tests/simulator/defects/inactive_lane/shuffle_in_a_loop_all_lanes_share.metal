// SPDX-License-Identifier: MIT
// All lanes stay in the loop for the same number of turns.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: uint32[32]
// buffer: uint32[32]
#include <metal_stdlib>
using namespace metal;

kernel void walk(device const uint* input [[buffer(0)]],
                 device uint* output [[buffer(1)]],
                 uint lane [[thread_index_in_simdgroup]]) {
  uint x = input[lane];
  const uint turns = 8;
  for (uint turn = 0; turn < turns; ++turn) {
    x += simd_shuffle(x, 0) + turn;
  }
  output[lane] = x;
}
