// SPDX-License-Identifier: MIT
// Thread 0 reads the element in front of the buffer.
//
// twin: load_from_clamped_neighbour
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[32]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=input offset=-4
#include <metal_stdlib>
using namespace metal;

kernel void left_difference(device const float* input [[buffer(0)]],
                            device float* output [[buffer(1)]],
                            uint row [[thread_position_in_grid]]) {
  const int left = int(row) - 1;
  output[row] = input[row] - input[left];  // defect: bounds
}
