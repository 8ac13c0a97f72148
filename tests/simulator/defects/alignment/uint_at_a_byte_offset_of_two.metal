// SPDX-License-Identifier: MIT
// A 32-bit word is read behind a header of two bytes.
//
// twin: uint_at_a_byte_offset_of_four
// launch: threads=(8, 1, 1) group=(8, 1, 1)
// buffer: uint8[64]
// buffer: empty uint32[8]
// at: threadgroup=(0, 0, 0) simdgroup=0 lane=0 buffer=bytes offset=2
#include <metal_stdlib>
using namespace metal;

kernel void read_words(device const uchar* bytes [[buffer(0)]],
                       device uint* output [[buffer(1)]],
                       uint row [[thread_position_in_grid]]) {
  device const uchar* start = bytes + 2 + 4 * row;
  output[row] = *(device const uint*)start;  // defect: alignment
}
