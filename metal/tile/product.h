// SPDX-License-Identifier: MIT
// The two matrix products of attention kernels, accumulated in registers.
// Operands are streamed from device memory fragment by fragment, so any number
// of columns fits.
//
// Note [Panels]
// A sum of n float32 products in one chain has a rounding error that grows with
// n. Products are therefore summed in chains of at most kPanel or kStepRows
// terms in a partial tile, which is then added to the total; the error grows
// with sqrt(n) * sqrt(kPanel + n / kPanel) instead. The addition is also where
// an older total is corrected. No element of a partial tile is read before its
// panel is complete.
#pragma once

#include "metal/tile/device_rows.h"
#include "metal/tile/load.h"
#include "metal/tile/register_tile.h"

constant constexpr int kPanel = 32;

// Row pointers of a product a b^T, for the lane's elements of each fragment.
template <int kM, int kN, typename T>
struct OperandRows {
  device const T* a[kM / 8];     // row lane.row
  device const T* b[kN / 8][2];  // rows lane.column and the next one
};

template <int kM, int kN, typename T>
METAL_FUNC OperandRows<kM, kN, T> operand_rows(thread const DeviceRows<T>& a,
                                               uint a_row,
                                               thread const DeviceRows<T>& b,
                                               uint b_row,
                                               LaneCoordinate lane) {
  OperandRows<kM, kN, T> rows;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    rows.a[m] = a.row(a_row + 8 * m + lane.row);
  }
  FLASH_ATTN_UNROLL
  for (int n = 0; n < kN / 8; n++) {
    rows.b[n][0] = b.row(b_row + 8 * n + lane.column);
    rows.b[n][1] = b.row(b_row + 8 * n + lane.column + 1);
  }
  return rows;
}

// c[kM, kN] += a[kM, 8] * b[kN, 8]^T for the eight columns from `column`.
template <int kDepth, int kM, int kN, typename T>
METAL_FUNC void multiply_transposed_step(
    thread RegisterTile<kM, kN>& c,
    thread const OperandRows<kM, kN, T>& rows,
    int column,
    LaneCoordinate lane) {
  Fragment a[kM / 8];
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    load_fragment<kDepth>(a[m], rows.a[m], column + lane.column);
  }
  FLASH_ATTN_UNROLL
  for (int n = 0; n < kN / 8; n++) {
    Fragment b;
    load_fragment_transposed<kDepth>(
        b, rows.b[n][0], rows.b[n][1], column + lane.row);
    FLASH_ATTN_UNROLL
    for (int m = 0; m < kM / 8; m++) {
      simdgroup_multiply_accumulate(
          c.fragments[m][n], a[m], b, c.fragments[m][n]);
    }
  }
}

// c[kM, kN] += a[kM, kDepth] * b[kN, kDepth]^T for rows from a_row and b_row.
template <int kDepth, int kM, int kN, typename T>
METAL_FUNC void multiply_transposed(thread RegisterTile<kM, kN>& c,
                                    thread const DeviceRows<T>& a,
                                    uint a_row,
                                    thread const DeviceRows<T>& b,
                                    uint b_row,
                                    LaneCoordinate lane) {
  const OperandRows<kM, kN, T> rows =
      operand_rows<kM, kN>(a, a_row, b, b_row, lane);
  constexpr int kPadded = padded_columns(kDepth);
  for (int panel = 0; panel < kPadded; panel += kPanel) {
    RegisterTile<kM, kN> partial;
    fill_zero(partial);
    for (int d = panel; d < min(panel + kPanel, kPadded); d += 8) {
      multiply_transposed_step<kDepth>(partial, rows, d, lane);
    }
    add(c, partial);
  }
}

// As multiply_transposed, but every chain has eight terms and the rounding of
// each addition to the total is carried along and added at the end: the error
// is that of a few roundings of the result, whatever the depth. For sums that
// cancel against what c held before.
template <int kDepth, int kM, int kN, typename T>
METAL_FUNC void multiply_transposed_compensated(thread RegisterTile<kM, kN>& c,
                                                thread const DeviceRows<T>& a,
                                                uint a_row,
                                                thread const DeviceRows<T>& b,
                                                uint b_row,
                                                LaneCoordinate lane) {
  const OperandRows<kM, kN, T> rows =
      operand_rows<kM, kN>(a, a_row, b, b_row, lane);
  RegisterTile<kM, kN> lost;
  fill_zero(lost);
  for (int d = 0; d < padded_columns(kDepth); d += 8) {
    RegisterTile<kM, kN> partial;
    fill_zero(partial);
    multiply_transposed_step<kDepth>(partial, rows, d, lane);
    add_compensated(c, lost, partial);
  }
  add(c, lost);
}

// c[kM, kPanel] += a[kM, kDepth] * b[kDepth, kPanel] for the columns of b from
// `panel`, as far as b has them; `a` is in registers.
template <int kColumns, int kM, int kDepth, typename T>
METAL_FUNC void multiply_panel(thread RegisterTile<kM, kPanel>& c,
                               thread const RegisterTile<kM, kDepth>& a,
                               thread const DeviceRows<T>& b,
                               uint b_row,
                               int panel,
                               LaneCoordinate lane) {
  FLASH_ATTN_UNROLL
  for (int k = 0; k < kDepth / 8; k++) {
    device const T* row = b.row(b_row + 8 * k + lane.row);
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kPanel / 8; n++) {
      const int column = panel + 8 * n;
      if (column >= padded_columns(kColumns)) {
        continue;
      }
      Fragment b_fragment;
      load_fragment<kColumns>(b_fragment, row, column + lane.column);
      FLASH_ATTN_UNROLL
      for (int m = 0; m < kM / 8; m++) {
        simdgroup_multiply_accumulate(c.fragments[m][n],
                                      a.fragments[m][k],
                                      b_fragment,
                                      c.fragments[m][n]);
      }
    }
  }
}

// c[kM, kColumns] = factors * c + a[kM, kDepth] * b[kDepth, kColumns] for rows
// of b from b_row; a factor for each row, `a` in registers.
template <int kColumns, int kM, int kDepth, typename T>
METAL_FUNC void scale_rows_and_multiply(
    thread RegisterTile<kM, padded_columns(kColumns)>& c,
    thread const RowVector<kM>& factors,
    thread const RegisterTile<kM, kDepth>& a,
    thread const DeviceRows<T>& b,
    uint b_row,
    LaneCoordinate lane) {
  FLASH_ATTN_UNROLL
  for (int panel = 0; panel < padded_columns(kColumns); panel += kPanel) {
    RegisterTile<kM, kPanel> partial;
    fill_zero(partial);
    multiply_panel<kColumns>(partial, a, b, b_row, panel, lane);
    scale_rows_and_add_panel(c, factors, partial, panel);
  }
}

// c[kM, kColumns] += a[kM, kDepth] * b[kDepth, kColumns].
template <int kColumns, int kM, int kDepth, typename T>
METAL_FUNC void multiply(thread RegisterTile<kM, padded_columns(kColumns)>& c,
                         thread const RegisterTile<kM, kDepth>& a,
                         thread const DeviceRows<T>& b,
                         uint b_row,
                         LaneCoordinate lane) {
  const RowVector<kM> factors = filled<kM>(1.0f);
  scale_rows_and_multiply<kColumns>(c, factors, a, b, b_row, lane);
}
