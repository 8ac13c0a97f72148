// SPDX-License-Identifier: MIT
// Which blocks of the traversed side a tile has to visit. Blocks outside the
// range hold no allowed pair and are skipped, never computed and thrown away.
#pragma once

#include "metal/shared/attention_params.h"

using namespace flash_attn_mps;

struct BlockRange {
  uint begin;  // first row of the first block; a multiple of kStepRows
  uint end;    // rows from here on are not visited
};

// Keys that some query in [first_query, first_query + kRows) may attend to.
METAL_FUNC BlockRange key_range(constant AttentionParams& params,
                                uint first_query) {
  BlockRange range;
  range.begin = 0;
  range.end = kIsCausal ? min(params.key_length, first_query + kRows)
                        : params.key_length;
  return range;
}

// Queries that may attend to some key in [first_key, first_key + kRows).
METAL_FUNC BlockRange query_range(constant AttentionParams& params,
                                  uint first_key) {
  BlockRange range;
  range.begin = kIsCausal ? first_key / kStepRows * kStepRows : 0;
  range.end = params.query_length;
  return range;
}
