// SPDX-License-Identifier: MIT
// The kernel promises at most 64 threads and is launched with 64.
//
// launch: threads=(128, 1, 1) group=(64, 1, 1)
// buffer: empty float32[128]
#include <metal_stdlib>
using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void number_rows(device float* output [[buffer(0)]],
                        uint row [[thread_position_in_grid]]) {
  output[row] = float(row);
}
