// SPDX-License-Identifier: MIT
// A threadgroup reads back only what it stored itself.
//
// launch: threads=(96, 1, 1) group=(32, 1, 1)
// buffer: float32[96]
// buffer: float32[96]
#include <metal_stdlib>
using namespace metal;

kernel void add_next_group(device float* partial [[buffer(0)]],
                           device float* output [[buffer(1)]],
                           uint row [[thread_position_in_grid]]) {
  partial[row] = float(row);
  threadgroup_barrier(mem_flags::mem_device);
  const uint other = (row + 0) % 96;
  output[row] = partial[other];
}
