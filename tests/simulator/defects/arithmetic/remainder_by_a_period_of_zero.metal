// SPDX-License-Identifier: MIT
// The phase of each step; the host passes a period of 0.
//
// twin: remainder_by_a_period_of_one
// launch: threads=(32, 1, 1) group=(32, 1, 1)
// buffer: uint32 0
// buffer: empty uint32[32]
#include <metal_stdlib>
using namespace metal;

kernel void phases(constant uint& period [[buffer(0)]],
                   device uint* phase [[buffer(1)]],
                   uint step [[thread_position_in_grid]]) {
  phase[step] = step % period;  // defect: arithmetic
}
