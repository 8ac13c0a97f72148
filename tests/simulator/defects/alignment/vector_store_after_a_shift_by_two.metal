// SPDX-License-Identifier: MIT
// A vector of four floats is stored two elements behind an aligned place.
//
// twin: vector_store_after_a_shift_by_four
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: float32[64]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=output offset=8
#include <metal_stdlib>
using namespace metal;

kernel void fill_shifted(device float* output [[buffer(0)]],
                         uint row [[thread_position_in_grid]]) {
  device float* start = output + 2 + 4 * row;
  const float4 x = float4(1.0f, 2.0f, 3.0f, float(row));
  *(device float4*)start = x;  // defect: alignment
}
