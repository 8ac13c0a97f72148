// SPDX-License-Identifier: MIT
// Rows of eight floats keep every row aligned for a vector of two.
//
// launch: threads=(8, 4, 1) group=(8, 4, 1)
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

constant constexpr uint kPitch = 8;

kernel void pairs(device float* output [[buffer(0)]],
                  uint2 cell [[thread_position_in_threadgroup]],
                  uint slot [[thread_index_in_threadgroup]]) {
  threadgroup alignas(16) float tile[8 * 4];
  tile[slot] = float(slot);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup const float* row = tile + cell.y * kPitch;
  const uint column = cell.x & 2;
  threadgroup const float2* pair = (threadgroup const float2*)(row + column);
  const float2 x = *pair;
  output[slot] = x.x + x.y;
}
