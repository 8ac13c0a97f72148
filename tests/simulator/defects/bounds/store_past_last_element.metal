// SPDX-License-Identifier: MIT
// The guard lets one thread past the length store behind the buffer.
//
// twin: store_below_length
// launch: threads=(64, 1, 1) group=(32, 1, 1)
// buffer: float32[60]
// buffer: uint32 60
// at: threadgroup=(1, 0, 0) simdgroup=0 lane=28 buffer=output offset=240
#include <metal_stdlib>
using namespace metal;

kernel void store_elements(device float* output [[buffer(0)]],
                           constant uint& length [[buffer(1)]],
                           uint row [[thread_position_in_grid]]) {
  if (row <= length) {
    output[row] = 1.0f;  // defect: bounds
  }
}
