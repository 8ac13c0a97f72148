// SPDX-License-Identifier: MIT
// The last vector of four starts inside the buffer and ends behind it.
//
// twin: vector_load_of_whole_vectors
// launch: threads=(16, 1, 1) group=(16, 1, 1)
// buffer: float32[62]
// buffer: empty float32[16]
// buffer: uint32 62
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=15 buffer=input
#include <metal_stdlib>
using namespace metal;

kernel void sum_vectors(device const float* input [[buffer(0)]],
                        device float* output [[buffer(1)]],
                        constant uint& length [[buffer(2)]],
                        uint row [[thread_position_in_grid]]) {
  float sum = 0.0f;
  if (4 * row < length) {
    device const float4* start = (device const float4*)(input + 4 * row);
    const float4 x = *start;  // defect: bounds
    sum = (x.x + x.y) + (x.z + x.w);
  }
  output[row] = sum;
}
