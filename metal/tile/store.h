// SPDX-License-Identifier: MIT
// Stores a tile to rows in device memory, rounded once to the element type.
// Rows and columns that only pad the tile are not written.
#pragma once

#include "metal/tile/register_tile.h"

template <typename T>
struct WritableRows {
  device T* first;  // [row_count, columns]
  long row_stride;  // elements
  uint row_count;
};

template <int kColumns, typename T>
METAL_FUNC void store_element(device T* row, int column, float value) {
  if (kColumns == padded_columns(kColumns) || column < kColumns) {
    row[column] = T(value);
  }
}

template <int kColumns, int kM, typename T>
METAL_FUNC void store_tile(
    thread const WritableRows<T>& rows,
    uint first_row,
    thread RegisterTile<kM, padded_columns(kColumns)>& tile,
    LaneCoordinate lane) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    const uint index = first_row + 8 * m + lane.row;
    if (index >= rows.row_count) {
      continue;
    }
    device T* row = rows.first + rows.row_stride * long(index);
    FLASH_ATTN_UNROLL
    for (int n = 0; n < padded_columns(kColumns) / 8; n++) {
      const int column = 8 * n + lane.column;
      const float2 elements = tile.fragments[m][n].thread_elements();
      store_element<kColumns>(row, column, elements.x);
      store_element<kColumns>(row, column + 1, elements.y);
    }
  }
}
