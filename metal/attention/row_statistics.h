// SPDX-License-Identifier: MIT
// One float32 number per query (log_sum_exp, delta): loads for tiles whose
// rows, or whose columns, are queries, and the store of a row's number.
#pragma once

#include "metal/attention/head.h"
#include "metal/attention/masking.h"
#include "metal/tile/register_tile.h"

struct StatisticRows {
  device const float* first;  // [row_count]
  uint row_count;

  // A row past the end stands for the last one, as in DeviceRows.
  METAL_FUNC float at(uint index) const {
    return first[min(index, row_count - 1)];
  }
};

// log_sum_exp. A row without an allowed key has minus infinity; a number in its
// place that is as large as a change of base allows makes its probabilities
// zero.
struct LogSumExpRows {
  StatisticRows natural;

  METAL_FUNC float at(uint index) const {
    const float value = natural.at(index);
    return as_type<uint>(value) == kNegativeInfinityBits ? 0.5f * FLT_MAX
                                                         : value;
  }
};

METAL_FUNC StatisticRows statistic_rows(device const float* statistic,
                                        constant AttentionParams& params,
                                        Head head) {
  StatisticRows rows;
  rows.first = statistic + statistic_offset(params, head);
  rows.row_count = params.query_length;
  return rows;
}

METAL_FUNC LogSumExpRows log_sum_exp_rows(device const float* log_sum_exps,
                                          constant AttentionParams& params,
                                          Head head) {
  LogSumExpRows rows;
  rows.natural = statistic_rows(log_sum_exps, params, head);
  return rows;
}

template <int kTileRows, typename Statistic>
METAL_FUNC RowVector<kTileRows> load_by_row(Statistic statistic,
                                            uint first_row,
                                            LaneCoordinate lane) {
  RowVector<kTileRows> loaded;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    loaded.values[m] = statistic.at(first_row + 8 * m + lane.row);
  }
  return loaded;
}

template <int kTileColumns, typename Statistic>
METAL_FUNC ColumnVector<kTileColumns> load_by_column(Statistic statistic,
                                                     uint first_column,
                                                     LaneCoordinate lane) {
  ColumnVector<kTileColumns> loaded;
  FLASH_ATTN_UNROLL
  for (int n = 0; n < kTileColumns / 8; n++) {
    const uint column = first_column + 8 * n + lane.column;
    loaded.values[n] = float2(statistic.at(column), statistic.at(column + 1));
  }
  return loaded;
}

// One of the four lanes of a row writes its number.
template <int kTileRows>
METAL_FUNC void store_by_row(device float* first,
                             uint row_count,
                             uint first_row,
                             thread const RowVector<kTileRows>& statistic,
                             LaneCoordinate lane) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    const uint row = first_row + 8 * m + lane.row;
    if (lane.column == 0 && row < row_count) {
      first[row] = statistic.values[m];
    }
  }
}
