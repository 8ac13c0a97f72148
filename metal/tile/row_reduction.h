// SPDX-License-Identifier: MIT
// Reductions along the rows of tiles. The four lanes that share a row differ in
// bits 0 and 3 of the lane, so two exchanges combine them.
#pragma once

#include "metal/tile/load.h"
#include "metal/tile/register_tile.h"

METAL_FUNC float row_max(float value) {
  value = max(value, simd_shuffle_xor(value, ushort(1)));
  return max(value, simd_shuffle_xor(value, ushort(8)));
}

METAL_FUNC float row_sum(float value) {
  value += simd_shuffle_xor(value, ushort(1));
  return value + simd_shuffle_xor(value, ushort(8));
}

// Dot product of two rows in device memory, each lane of a row taking its
// columns of every fragment.
template <int kColumns, typename T>
METAL_FUNC float row_dot(device const T* a, device const T* b, int column) {
  float sum = 0.0f;
  for (int d = column; d < padded_columns(kColumns); d += 8) {
    sum = fma(load_element<kColumns>(a, d), load_element<kColumns>(b, d), sum);
    sum = fma(load_element<kColumns>(a, d + 1),
              load_element<kColumns>(b, d + 1),
              sum);
  }
  return row_sum(sum);
}

// Largest element of every row, over all lanes; NaN elements are passed over.
template <int kTileRows, int kTileColumns>
METAL_FUNC RowVector<kTileRows> row_max(
    thread RegisterTile<kTileRows, kTileColumns>& tile) {
  RowVector<kTileRows> maxima;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    float largest = -FLT_MAX;
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      largest = max(largest, tile.fragments[m][n].thread_elements()[0]);
      largest = max(largest, tile.fragments[m][n].thread_elements()[1]);
    }
    maxima.values[m] = row_max(largest);
  }
  return maxima;
}
