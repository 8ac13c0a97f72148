// SPDX-License-Identifier: MIT
// Only the eight columns that were stored are added up.
//
// launch: threads=(8, 8, 1) group=(8, 8, 1)
// buffer: float32[64]
// buffer: empty float32[8]
#include <metal_stdlib>
using namespace metal;

constant constexpr uint kColumns = 8;

kernel void sum_rows(device const float* input [[buffer(0)]],
                     device float* output [[buffer(1)]],
                     uint2 cell [[thread_position_in_threadgroup]]) {
  threadgroup float tile[8][kColumns + 1];
  tile[cell.y][cell.x] = input[cell.y * kColumns + cell.x];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (cell.x == 0) {
    float sum = 0.0f;
    for (uint column = 0; column < kColumns; ++column) {
      sum += tile[cell.y][column];
    }
    output[cell.y] = sum;
  }
}
