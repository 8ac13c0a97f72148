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

  METAL_FUNC uint first_query() const {
    return kTileRows == TileRows::kQueries ? first_row : first_column;
  }

  METAL_FUNC uint query(uint row, uint column) const {
    return kTileRows == TileRows::kQueries ? row : column;
  }

  METAL_FUNC uint key(uint row, uint column) const {
    return kTileRows == TileRows::kQueries ? column : row;
  }

  METAL_FUNC uint column_count(constant AttentionParams& params) const {
    return kTileRows == TileRows::kQueries ? params.key_length
                                           : params.query_length;
  }

  METAL_FUNC bool is_allowed(uint row,
                             uint column,
                             constant AttentionParams& params) const {
    return column < column_count(params) &&
           (!kIsCausal || key(row, column) <= query(row, column));
  }

  // The elements (row, column) and (row, column + 1) where allowed.
  METAL_FUNC float2 keep_allowed(float2 elements,
                                 uint row,
                                 uint column,
                                 constant AttentionParams& params,
                                 float replacement) const {
    return float2(
        is_allowed(row, column, params) ? elements.x : replacement,
        is_allowed(row, column + 1, params) ? elements.y : replacement);
  }

  // Whether the block holds a pair that is not allowed; rows past the end are
  // never stored and do not count.
  METAL_FUNC bool needs_mask(constant AttentionParams& params) const {
    const uint last_key = kTileRows == TileRows::kQueries
                              ? first_column + kStepRows - 1
                              : first_row + kRows - 1;
    return first_column + kStepRows > column_count(params) ||
           (kIsCausal && last_key > first_query());
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
      tile.fragments[m][n].thread_elements() =
          block.keep_allowed(tile.fragments[m][n].thread_elements(),
                             row,
                             column,
                             params,
                             replacement);
    }
  }
}

// Whether a query attends to one key only.
METAL_FUNC bool has_single_key(uint query, constant AttentionParams& params) {
  return params.key_length == 1 || (kIsCausal && query == 0);
}

// Zeroes the probabilities of queries with a single key before dS is formed:
// the softmax of one logit is constant, so its derivative is zero, while
// dP - delta would be the rounding error of two equal sums. A NaN in dP - delta
// still becomes a NaN in dS.
template <TileRows kTileRows, int kM, int kN>
METAL_FUNC void drop_constant_rows(thread RegisterTile<kM, kN>& p,
                                   ScoreBlock<kTileRows> block,
                                   constant AttentionParams& params,
                                   LaneCoordinate lane) {
  if (!has_single_key(block.first_query(), params)) {
    return;
  }
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kN / 8; n++) {
      const uint row = block.first_row + 8 * m + lane.row;
      const uint column = block.first_column + 8 * n + lane.column;
      const uint query0 = block.query(row, column);
      const uint query1 = block.query(row, column + 1);
      const float2 elements = p.fragments[m][n].thread_elements();
      p.fragments[m][n].thread_elements() =
          float2(has_single_key(query0, params) ? 0.0f : elements.x,
                 has_single_key(query1, params) ? 0.0f : elements.y);
    }
  }
}
