// SPDX-License-Identifier: MIT
// The kernel adds to an output buffer that holds no values yet.
//
// twin: store_to_an_output_nobody_cleared
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[32]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=output offset=0
#include <metal_stdlib>
using namespace metal;

kernel void accumulate(device const float* input [[buffer(0)]],
                       device float* output [[buffer(1)]],
                       uint row [[thread_position_in_grid]]) {
  output[row] += input[row];  // defect: uninitialised
}
