// SPDX-License-Identifier: MIT
// Four quotients at once; one divisor of the first four is zero.
//
// twin: vector_divided_by_positive_elements
// launch: threads=(2, 1, 1) group=(2, 1, 1)
// buffer: int32[8]
// buffer: empty int32[8]
#include <metal_stdlib>
using namespace metal;

kernel void quotients(device const int4* divisors [[buffer(0)]],
                      device int4* out [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
  out[i] = int4(60) / divisors[i];  // defect: arithmetic
}
