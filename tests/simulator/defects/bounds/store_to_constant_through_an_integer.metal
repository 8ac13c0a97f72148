// SPDX-License-Identifier: MIT
// An address of the constant space is turned into a device pointer and stored
// to.
//
// twin: store_to_device_through_an_integer
// launch: threads=(16, 1, 1) group=(16, 1, 1)
// buffer: float32[16]
// buffer: empty float32[16]
// at: threadgroup=(0, 0, 0) simdgroup=0 buffer=scales
#include <metal_stdlib>
using namespace metal;

kernel void scale_in_place(constant float* scales [[buffer(0)]],
                           device float* output [[buffer(1)]],
                           uint row [[thread_position_in_grid]]) {
  output[row] = 2.0f * scales[row];
  const ulong address = reinterpret_cast<ulong>(scales);
  device float* values = reinterpret_cast<device float*>(address);
  values[row] = 0.5f;  // defect: bounds
}
