// SPDX-License-Identifier: MIT
// Which pairs of query and key are allowed, and the replacement of the others.
// It always selects: a value of a masked pair is never used, not even to be
// multiplied by zero.
#pragma once

#include "metal/shared/attention_params.h"
#include "metal/tile/register_tile.h"

using namespace flash_attn_mps;

// Stands for minus infinity where a row's maximum is sought. It is finite, so
// that fast math has no infinity to reason about; no finite logit lies below.
constant constexpr float kMaskedLogit = -FLT_MAX;

// Minus infinity where it leaves the kernels (log_sum_exp), written and
// recognised by its bits for the same reason.
constant constexpr uint kNegativeInfinityBits = 0xff800000u;

enum class TileRows { kQueries, kKeys };

// A tile of scores: what its rows are, and the row and column of its corner.
template <TileRows kTileRows>
struct ScoreBlock {
  uint first_row;
  uint first_column;

  METAL_FUNC bool is_allowed(uint row,
                             uint column,
                             constant AttentionParams& params) const {
    const bool rows_are_queries = kTileRows == TileRows::kQueries;
    const uint query = rows_are_queries ? row : column;
    const uint key = rows_are_queries ? column : row;
    const uint column_count =
        rows_are_queries ? params.key_length : params.query_length;
    return column < column_count && (!kIsCausal || key <= query);
  }

  // Whether the block holds a pair that is not allowed; rows past the end are
  // never stored and do not count.
  METAL_FUNC bool needs_mask(constant AttentionParams& params) const {
    const bool rows_are_queries = kTileRows == TileRows::kQueries;
    const uint column_count =
        rows_are_queries ? params.key_length : params.query_length;
    const uint first_query = rows_are_queries ? first_row : first_column;
    const uint last_key =
        rows_are_queries ? first_column + kStepRows - 1 : first_row + kRows - 1;
    return first_column + kStepRows > column_count ||
           (kIsCausal && last_key > first_query);
  }
};

// Replaces every element whose pair is not allowed.
template <TileRows kTileRows, int kM, int kN>
METAL_FUNC void replace_masked(thread RegisterTile<kM, kN>& tile,
                               ScoreBlock<kTileRows> block,
                               constant AttentionParams& params,
                               LaneCoordinate lane,
                               float replacement) {
  if (!block.needs_mask(params)) {
    return;
  }
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kN / 8; n++) {
      const uint row = block.first_row + 8 * m + lane.row;
      const uint column = block.first_column + 8 * n + lane.column;
      const float2 elements = tile.fragments[m][n].thread_elements();
      tile.fragments[m][n].thread_elements() = float2(
          block.is_allowed(row, column, params) ? elements.x : replacement,
          block.is_allowed(row, column + 1, params) ? elements.y : replacement);
    }
  }
}
