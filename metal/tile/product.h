// SPDX-License-Identifier: MIT
// The two matrix products of attention kernels, accumulated in registers.
// Operands are streamed from device memory fragment by fragment, so any number
// of columns fits. No element of an accumulator is read in between.
#pragma once

#include "metal/tile/device_rows.h"
#include "metal/tile/load.h"
#include "metal/tile/register_tile.h"

// c[kM, kN] += a[kM, kDepth] * b[kN, kDepth]^T for rows from a_row and b_row.
template <int kDepth, int kM, int kN, typename T>
METAL_FUNC void multiply_transposed(thread RegisterTile<kM, kN>& c,
                                    thread const DeviceRows<T>& a,
                                    uint a_row,
                                    thread const DeviceRows<T>& b,
                                    uint b_row,
                                    LaneCoordinate lane) {
  device const T* a_rows[kM / 8];
  device const T* b_rows[kN / 8][2];
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    a_rows[m] = a.row(a_row + 8 * m + lane.row);
  }
  FLASH_ATTN_UNROLL
  for (int n = 0; n < kN / 8; n++) {
    b_rows[n][0] = b.row(b_row + 8 * n + lane.column);
    b_rows[n][1] = b.row(b_row + 8 * n + lane.column + 1);
  }
  for (int d = 0; d < padded_columns(kDepth); d += 8) {
    Fragment a_fragments[kM / 8];
    FLASH_ATTN_UNROLL
    for (int m = 0; m < kM / 8; m++) {
      load_fragment<kDepth>(a_fragments[m], a_rows[m], d + lane.column);
    }
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kN / 8; n++) {
      Fragment b_fragment;
      load_fragment_transposed<kDepth>(
          b_fragment, b_rows[n][0], b_rows[n][1], d + lane.row);
      FLASH_ATTN_UNROLL
      for (int m = 0; m < kM / 8; m++) {
        simdgroup_multiply_accumulate(
            c.fragments[m][n], a_fragments[m], b_fragment, c.fragments[m][n]);
      }
    }
  }
}

// c[kM, kColumns] += a[kM, kDepth] * b[kDepth, kColumns] for rows of b from
// b_row; `a` is in registers.
template <int kColumns, int kM, int kDepth, typename T>
METAL_FUNC void multiply(thread RegisterTile<kM, padded_columns(kColumns)>& c,
                         thread const RegisterTile<kM, kDepth>& a,
                         thread const DeviceRows<T>& b,
                         uint b_row,
                         LaneCoordinate lane) {
  FLASH_ATTN_UNROLL
  for (int k = 0; k < kDepth / 8; k++) {
    device const T* row = b.row(b_row + 8 * k + lane.row);
    FLASH_ATTN_UNROLL
    for (int n = 0; n < padded_columns(kColumns) / 8; n++) {
      Fragment b_fragment;
      load_fragment<kColumns>(b_fragment, row, 8 * n + lane.column);
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
