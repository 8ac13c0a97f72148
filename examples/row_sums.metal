// SPDX-License-Identifier: MIT
// Sums the rows of a matrix, one threadgroup a row: each thread adds up its
// columns, a tree in threadgroup memory adds up the threads.
#include <metal_stdlib>
using namespace metal;

kernel void row_sums(device const float* matrix [[buffer(0)]],
                     device float* sums [[buffer(1)]],
                     constant uint& columns [[buffer(2)]],
                     threadgroup float* partial [[threadgroup(0)]],
                     uint row [[threadgroup_position_in_grid]],
                     uint thread_index [[thread_index_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]]) {
  float sum = 0.0f;
  for (uint column = thread_index; column < columns; column += threads) {
    sum += matrix[row * columns + column];
  }
  partial[thread_index] = sum;
  for (uint reach = threads / 2; reach > 0; reach /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (thread_index < reach) {
      partial[thread_index] += partial[thread_index + reach];
    }
  }
  if (thread_index == 0) {
    sums[row] = partial[0];
  }
}
