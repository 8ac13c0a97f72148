// SPDX-License-Identifier: MIT
// A matrix in the registers of one simdgroup, cut into fragments, with the
// elementwise changes that need no neighbour. It reads no memory.
#pragma once

#include "metal/tile/fragment.h"

template <int kTileRows, int kTileColumns>
struct RegisterTile {
  static_assert(kTileRows % 8 == 0, "rows come in fragments of eight");
  static_assert(kTileColumns % 8 == 0, "columns come in fragments of eight");

  Fragment fragments[kTileRows / 8][kTileColumns / 8];
};

// One number per row of a tile: those of the rows that the lane holds.
template <int kTileRows>
struct RowVector {
  float values[kTileRows / 8];

  // The number that belongs to element e of fragment (m, n).
  METAL_FUNC float at(int m, int n, int e) const { return values[m]; }
};

// One number per column of a tile: those of the columns that the lane holds.
template <int kTileColumns>
struct ColumnVector {
  float values[kTileColumns / 8][2];

  METAL_FUNC float at(int m, int n, int e) const { return values[n][e]; }
};

template <int kTileRows, int kTileColumns>
METAL_FUNC void fill_zero(thread RegisterTile<kTileRows, kTileColumns>& tile) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      tile.fragments[m][n] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    }
  }
}

template <int kTileRows, int kTileColumns>
METAL_FUNC void scale(thread RegisterTile<kTileRows, kTileColumns>& tile,
                      float factor) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      tile.fragments[m][n].thread_elements()[0] *= factor;
      tile.fragments[m][n].thread_elements()[1] *= factor;
    }
  }
}

template <int kTileRows, int kTileColumns>
METAL_FUNC void scale_rows(thread RegisterTile<kTileRows, kTileColumns>& tile,
                           thread const RowVector<kTileRows>& factors) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      tile.fragments[m][n].thread_elements()[0] *= factors.values[m];
      tile.fragments[m][n].thread_elements()[1] *= factors.values[m];
    }
  }
}
