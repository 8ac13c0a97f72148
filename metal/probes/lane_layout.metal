// SPDX-License-Identifier: MIT
// Which lane of a simdgroup holds which element of an 8x8 matrix, by one
// product of two numbered matrices and by one load. All numbers are exact.

#include "metal/tile/fragment.h"

// Another order of the same numbers, so that no exchange of lanes leaves the
// product as it is.
METAL_FUNC float scrambled(int index) {
  return float((37 * index + 11) & 63);
}

[[kernel, max_total_threads_per_threadgroup(32)]] void lane_layout(
    device float* result [[buffer(0)]],  // [2, 32, 2]: product, loaded element
    ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup Element numbered[64];  // [8, 8]
  const LaneCoordinate at = lane_coordinate(lane);
  const int first = 8 * at.row + at.column;
  simdgroup_matrix<Element, 8, 8> a;
  simdgroup_matrix<Element, 8, 8> b;
  for (int e = 0; e < 2; e++) {
    numbered[first + e] = Element(float(first + e));
    a.thread_elements()[e] = Element(float(first + e));
    b.thread_elements()[e] = Element(scrambled(first + e));
  }
  // Between the stores to `numbered` and its load.
  threadgroup_barrier(mem_flags::mem_threadgroup);

  Fragment product = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_multiply_accumulate(product, a, b, product);
  simdgroup_matrix<Element, 8, 8> loaded;
  simdgroup_load(loaded, numbered, 8);
  for (int e = 0; e < 2; e++) {
    result[2 * lane + e] = product.thread_elements()[e];
    result[64 + 2 * lane + e] = float(loaded.thread_elements()[e]);
  }
}
