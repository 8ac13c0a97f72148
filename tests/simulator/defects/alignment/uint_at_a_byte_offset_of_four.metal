// SPDX-License-Identifier: MIT
// A 32-bit word is read behind a header of four bytes.
//
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: uint8[64]
// buffer: empty uint32[8]
#include <metal_stdlib>
using namespace metal;

kernel void read_words(device const uchar* bytes [[buffer(0)]],
                       device uint* output [[buffer(1)]],
                       uint row [[thread_position_in_grid]]) {
  device const uchar* start = bytes + 4 + 4 * row;
  output[row] = *(device const uint*)start;
}
