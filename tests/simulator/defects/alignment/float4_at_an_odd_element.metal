// SPDX-License-Identifier: MIT
// A vector of four floats is loaded from an address that is no multiple of 16.
//
// twin: float4_at_every_fourth_element
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: float32[64]
// buffer: empty float32[8]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=input offset=4
#include <metal_stdlib>
using namespace metal;

kernel void sum_vectors(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        uint row [[thread_position_in_grid]]) {
  device const float* start = input + 4 * row + 1;
  const float4 x = *(device const float4*)start;  // defect: alignment
  output[row] = (x.x + x.y) + (x.z + x.w);
}
