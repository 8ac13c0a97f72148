// SPDX-License-Identifier: MIT
// The left neighbour of thread 0 is thread 0 itself.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void left_difference(device const float* input [[buffer(0)]],
                            device float* output [[buffer(1)]],
                            uint row [[thread_position_in_grid]]) {
  const int left = max(int(row) - 1, 0);
  output[row] = input[row] - input[left];
}
