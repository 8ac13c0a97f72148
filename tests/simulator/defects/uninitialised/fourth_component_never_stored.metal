// SPDX-License-Identifier: MIT
// Three of four components are stored, then the whole vector is read.
//
// twin: fourth_component_stored
// launch: threads=(16, 1, 1) group=(16, 1, 1)
// buffer: empty float32[64]
// buffer: empty float32[16]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=vectors
#include <metal_stdlib>
using namespace metal;

kernel void sum_components(device float* vectors [[buffer(0)]],
                           device float* output [[buffer(1)]],
                           uint row [[thread_position_in_grid]]) {
  for (uint part = 0; part < 3; ++part) {
    vectors[4 * row + part] = float(part);
  }
  threadgroup_barrier(mem_flags::mem_device);
  const uint other = row ^ 1;
  device const float4* wide = (device const float4*)vectors;
  const float4 x = wide[other];  // defect: uninitialised
  output[row] = (x.x + x.y) + (x.z + x.w);
}
