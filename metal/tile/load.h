// SPDX-License-Identifier: MIT
// Loads of fragments from device memory. Two scalar loads per lane: nothing is
// assumed of the alignment of a row.
#pragma once

#include "metal/tile/fragment.h"

// The element of a row, or zero in the columns that only pad the fragment.
template <int kColumns, typename T>
METAL_FUNC float load_element(device const T* row, int column) {
  if (kColumns == padded_columns(kColumns)) {
    return float(row[column]);
  }
  return column < kColumns ? float(row[column]) : 0.0f;
}

// Eight rows as they are: `row` is the lane's row, `column` its first column.
template <int kColumns, typename T>
METAL_FUNC void load_fragment(thread Fragment& fragment,
                              device const T* row,
                              int column) {
  fragment.thread_elements() = float2(load_element<kColumns>(row, column),
                                      load_element<kColumns>(row, column + 1));
}

// Eight rows transposed: the lane's two elements come from two rows.
template <int kColumns, typename T>
METAL_FUNC void load_fragment_transposed(thread Fragment& fragment,
                                         device const T* row0,
                                         device const T* row1,
                                         int column) {
  fragment.thread_elements() = float2(load_element<kColumns>(row0, column),
                                      load_element<kColumns>(row1, column));
}
