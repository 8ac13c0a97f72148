// SPDX-License-Identifier: MIT
// Threadgroups count into shared bins of device memory with atomic additions.
//
// launch: threads=(128, 1, 1) group=(32, 1, 1)
// buffer: uint32[128]
// buffer: uint32[8]
#include <metal_stdlib>
using namespace metal;

kernel void histogram(device const uint* input [[buffer(0)]],
                      device atomic_uint* bins [[buffer(1)]],
                      uint row [[thread_position_in_grid]]) {
  const uint bin = input[row] & 7;
  atomic_fetch_add_explicit(&bins[bin], 1u, memory_order_relaxed);
}
