// SPDX-License-Identifier: MIT
// A threadgroup reads what another threadgroup of the same dispatch stores.
//
// twin: read_of_the_threadgroups_own_result
// launch: threads=(96, 1, 1) group=(32, 1, 1)
// buffer: float32[96]
// buffer: float32[96]
#include <metal_stdlib>
using namespace metal;

kernel void add_next_group(device float* partial [[buffer(0)]],
                           device float* output [[buffer(1)]],
                           uint row [[thread_position_in_grid]]) {
  partial[row] = float(row);  // defect: race
  threadgroup_barrier(mem_flags::mem_device);
  const uint other = (row + 32) % 96;
  output[row] = partial[other];  // defect: race
}
