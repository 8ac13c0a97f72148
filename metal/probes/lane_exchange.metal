// SPDX-License-Identifier: MIT
// What lanes of a simdgroup hand to each other: the reductions of a row that
// the kernels use, and the exchanges under them for one element type.

#include "metal/tile/row_reduction.h"

[[kernel, max_total_threads_per_threadgroup(32)]] void lane_exchange(
    device float* result [[buffer(0)]],  // [7, 32]
    ushort lane [[thread_index_in_simdgroup]]) {
  const float number = float(lane * 7 % 32);
  result[lane] = row_sum(number);
  result[32 + lane] = row_max(number);
  for (ushort bit = 0; bit < 5; bit++) {
    const Element exchanged =
        simd_shuffle_xor(Element(number), ushort(1 << bit));
    result[32 * (2 + bit) + lane] = float(exchanged);
  }
}
