// SPDX-License-Identifier: MIT
// A 64-bit integer is stored at an address that is a multiple of four only.
//
// twin: ulong_at_an_even_word
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: uint32[32]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=words offset=4
#include <metal_stdlib>
using namespace metal;

kernel void store_wide(device uint* words [[buffer(0)]],
                       uint row [[thread_position_in_grid]]) {
  device uint* start = words + 2 * row + 1;
  *(device ulong*)start = ulong(row) << 33;  // defect: alignment
}
