// SPDX-License-Identifier: MIT
// A vector of four halves is loaded from an address that is no multiple of 8.
//
// twin: half4_at_every_fourth_element
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: float16[64]
// buffer: empty float32[8]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=1 buffer=input offset=4
#include <metal_stdlib>
using namespace metal;

kernel void sum_halves(device const half* input [[buffer(0)]],
                       device float* output [[buffer(1)]],
                       uint row [[thread_position_in_grid]]) {
  device const half* start = input + 2 * row;
  const half4 x = *(device const half4*)start;  // defect: alignment
  output[row] = float(x.x) + float(x.y) + float(x.z) + float(x.w);
}
