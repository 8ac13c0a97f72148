// SPDX-License-Identifier: MIT
// Threadgroup memory is read that nobody has stored.
//
// twin: tile_stored_before_it_is_read
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: float32[32]
// buffer: empty float32[32]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0
#include <metal_stdlib>
using namespace metal;

kernel void add_through_tile(device const float* input [[buffer(0)]],
                             device float* output [[buffer(1)]],
                             uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  const float x = tile[31 - lane];  // defect: uninitialised
  output[lane] = input[lane] + x;
}
