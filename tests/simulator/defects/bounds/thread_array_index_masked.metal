// SPDX-License-Identifier: MIT
// The run-time index is masked to the extent of the thread array.
//
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[32]
#include <metal_stdlib>
using namespace metal;

kernel void sort_into_bins(device const float* input [[buffer(0)]],
                           device float* output [[buffer(1)]],
                           uint row [[thread_position_in_grid]]) {
  float bins[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  const uint bin = uint(input[row]) & 3;
  bins[bin] += 1.0f;
  output[row] = bins[0] + 2.0f * bins[1] + 3.0f * bins[2] + 4.0f * bins[3];
}
