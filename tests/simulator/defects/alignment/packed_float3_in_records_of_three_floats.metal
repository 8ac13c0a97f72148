// SPDX-License-Identifier: MIT
// Records of twelve bytes are read as the packed vector type.
//
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: float32[32]
// buffer: empty float32[8]
#include <metal_stdlib>
using namespace metal;

kernel void lengths(device const float* input [[buffer(0)]],
                    device float* output [[buffer(1)]],
                    uint row [[thread_position_in_grid]]) {
  device const float* record = input + 3 * row;
  const float3 x = *(device const packed_float3*)record;
  output[row] = x.x * x.x + x.y * x.y + x.z * x.z;
}
