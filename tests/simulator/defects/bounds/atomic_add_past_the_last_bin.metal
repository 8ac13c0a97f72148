// SPDX-License-Identifier: MIT
// The largest value falls into a bin behind the last one.
//
// twin: atomic_add_into_the_last_bin
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: uint32[16]
// at: threadgroup=(0, 0, 0) simdgroup=0 buffer=bins
#include <metal_stdlib>
using namespace metal;

kernel void histogram(device const float* input [[buffer(0)]],
                      device atomic_uint* bins [[buffer(1)]],
                      uint row [[thread_position_in_grid]]) {
  const uint bin = min(uint(input[row]), 16u);
  atomic_fetch_add_explicit(  // defect: bounds
      &bins[bin],
      1u,
      memory_order_relaxed);
}
