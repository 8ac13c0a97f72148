// SPDX-License-Identifier: MIT
// Threadgroups count into shared bins of device memory with plain additions.
//
// twin: histogram_in_device_memory_with_atomics
// launch: threads=(128, 1, 1) group=(32, 1, 1)
// buffer: uint32[128]
// buffer: uint32[8]
#include <metal_stdlib>
using namespace metal;

kernel void histogram(device const uint* input [[buffer(0)]],
                      device uint* bins [[buffer(1)]],
                      uint row [[thread_position_in_grid]]) {
  const uint bin = input[row] & 7;
  bins[bin] += 1;  // defect: race
}
