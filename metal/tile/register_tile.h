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

  // The numbers that belong to the lane's elements of fragment (m, n).
  METAL_FUNC float2 at(int m, int n) const { return float2(values[m]); }
};

// One number per column of a tile: those of the columns that the lane holds.
template <int kTileColumns>
struct ColumnVector {
  float2 values[kTileColumns / 8];

  METAL_FUNC float2 at(int m, int n) const { return values[n]; }
};

// A division, not a product with the reciprocal, whose rounding would be a
// factor of the whole row.
template <int kTileRows, int kTileColumns>
METAL_FUNC void divide_rows(thread RegisterTile<kTileRows, kTileColumns>& tile,
                            thread const RowVector<kTileRows>& divisors) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      tile.fragments[m][n].thread_elements() /= divisors.values[m];
    }
  }
}

template <int kTileRows>
METAL_FUNC RowVector<kTileRows> filled(float value) {
  RowVector<kTileRows> vector;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    vector.values[m] = value;
  }
  return vector;
}

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

// Every element becomes the negative of its row's, or its column's, number.
// Columns are the outer loop: one column too many would then overwrite a row
// that is complete, which tests see.
template <int kTileRows, int kTileColumns, typename Vector>
METAL_FUNC void fill_negative(
    thread RegisterTile<kTileRows, kTileColumns>& tile,
    thread const Vector& vector) {
  FLASH_ATTN_UNROLL
  for (int n = 0; n < kTileColumns / 8; n++) {
    FLASH_ATTN_UNROLL
    for (int m = 0; m < kTileRows / 8; m++) {
      tile.fragments[m][n].thread_elements() = -vector.at(m, n);
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
      tile.fragments[m][n].thread_elements() *= factor;
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
      tile.fragments[m][n].thread_elements() *= factors.values[m];
    }
  }
}

template <int kTileRows, int kTileColumns>
METAL_FUNC void add(thread RegisterTile<kTileRows, kTileColumns>& tile,
                    thread RegisterTile<kTileRows, kTileColumns>& other) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      tile.fragments[m][n].thread_elements() +=
          other.fragments[m][n].thread_elements();
    }
  }
}

// Elementwise product, in place.
template <int kTileRows, int kTileColumns>
METAL_FUNC void multiply_elements(
    thread RegisterTile<kTileRows, kTileColumns>& tile,
    thread RegisterTile<kTileRows, kTileColumns>& other) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      tile.fragments[m][n].thread_elements() *=
          other.fragments[m][n].thread_elements();
    }
  }
}

// tile += other; `lost` gathers what the roundings dropped (Knuth's two-sum).
// Fast math may simplify it to zero; the sum is then an ordinary one.
template <int kTileRows, int kTileColumns>
METAL_FUNC void add_compensated(
    thread RegisterTile<kTileRows, kTileColumns>& tile,
    thread RegisterTile<kTileRows, kTileColumns>& lost,
    thread RegisterTile<kTileRows, kTileColumns>& other) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      const float2 before = tile.fragments[m][n].thread_elements();
      const float2 term = other.fragments[m][n].thread_elements();
      const float2 total = before + term;
      const float2 added = total - before;
      lost.fragments[m][n].thread_elements() +=
          (before - (total - added)) + (term - added);
      tile.fragments[m][n].thread_elements() = total;
    }
  }
}

// tile = factors * tile + panel in the columns that the panel covers.
template <int kTileRows, int kTileColumns, int kPanelColumns>
METAL_FUNC void scale_rows_and_add_panel(
    thread RegisterTile<kTileRows, kTileColumns>& tile,
    thread const RowVector<kTileRows>& factors,
    thread RegisterTile<kTileRows, kPanelColumns>& panel,
    int first_column) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kPanelColumns / 8; n++) {
      if (first_column + 8 * n >= kTileColumns) {
        continue;
      }
      thread Fragment& total = tile.fragments[m][first_column / 8 + n];
      total.thread_elements() = fma(total.thread_elements(),
                                    factors.at(m, n),
                                    panel.fragments[m][n].thread_elements());
    }
  }
}
