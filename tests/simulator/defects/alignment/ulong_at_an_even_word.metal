// SPDX-License-Identifier: MIT
// A 64-bit integer is stored at a multiple of eight.
//
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: uint32[32]
#include <metal_stdlib>
using namespace metal;

kernel void store_wide(device uint* words [[buffer(0)]],
                       uint row [[thread_position_in_grid]]) {
  device uint* start = words + 2 * row + 2;
  *(device ulong*)start = ulong(row) << 33;
}
