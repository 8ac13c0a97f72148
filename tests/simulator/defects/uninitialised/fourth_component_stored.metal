// SPDX-License-Identifier: MIT
// All four components are stored before the whole vector is read.
//
// launch: threads=(16, 1, 1) group=(16, 1, 1)
// buffer: empty float32[64]
// buffer: empty float32[16]
#include <metal_stdlib>
using namespace metal;

kernel void sum_components(device float* vectors [[buffer(0)]],
                           device float* output [[buffer(1)]],
                           uint row [[thread_position_in_grid]]) {
  for (uint part = 0; part < 4; ++part) {
    vectors[4 * row + part] = float(part);
  }
  threadgroup_barrier(mem_flags::mem_device);
  const uint other = row ^ 1;
  device const float4* wide = (device const float4*)vectors;
  const float4 x = wide[other];
  output[row] = (x.x + x.y) + (x.z + x.w);
}
