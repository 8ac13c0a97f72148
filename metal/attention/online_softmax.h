// SPDX-License-Identifier: MIT
// The running softmax of a tile of query rows, in base 2: row maximum m, row
// sum l, and the correction of an output that was accumulated under an older
// maximum. It knows neither keys nor values.
#pragma once

#include "metal/attention/masking.h"
#include "metal/tile/row_reduction.h"

// ln 2 and log2 e, less the float32 constants M_LN2_F and M_LOG2E_F: with them
// a change of base is exact but for its last rounding.
constant constexpr float kLn2Rest = -1.904654299958e-9f;
constant constexpr float kLog2ERest = 1.925962991127e-8f;

template <int kTileRows>
struct OnlineSoftmax {
  RowVector<kTileRows> maximum;
  // This lane's share of the row sum; the lanes of a row are added at the end.
  RowVector<kTileRows> partial_sum;
};

template <int kTileRows>
METAL_FUNC void start(thread OnlineSoftmax<kTileRows>& softmax) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    softmax.maximum.values[m] = kMaskedLogit;
    softmax.partial_sum.values[m] = 0.0f;
  }
}

// A row without an allowed key so far has no maximum: zero stands in for it,
// so that the probabilities of its masked logits come out as zero, not one.
METAL_FUNC float guarded_maximum(float maximum) {
  return maximum == kMaskedLogit ? 0.0f : maximum;
}

// Largest base-2 logit of every row among the allowed pairs of a block of raw
// scores, over all lanes; kMaskedLogit if there is none. NaN is passed over.
template <TileRows kTileRows, int kM, int kN>
METAL_FUNC RowVector<kM> block_maximum(thread RegisterTile<kM, kN>& s,
                                       ScoreBlock<kTileRows> block,
                                       constant AttentionParams& params,
                                       LaneCoordinate lane) {
  const bool needs_mask = block.needs_mask(params);
  RowVector<kM> maxima;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    float largest = kMaskedLogit;
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kN / 8; n++) {
      float2 logits = s.fragments[m][n].thread_elements() * params.scale_log2;
      if (needs_mask) {
        const uint row = block.first_row + 8 * m + lane.row;
        const uint column = block.first_column + 8 * n + lane.column;
        logits = block.keep_allowed(logits, row, column, params, kMaskedLogit);
      }
      largest = max(largest, max(logits.x, logits.y));
    }
    maxima.values[m] = row_max(largest);
  }
  return maxima;
}

// m takes a block's maxima in. Returns the factor that brings what was summed
// under the old maximum to the new one.
template <int kTileRows>
METAL_FUNC RowVector<kTileRows> raise_maximum(
    thread OnlineSoftmax<kTileRows>& softmax,
    thread const RowVector<kTileRows>& maxima) {
  RowVector<kTileRows> correction;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    const float old_maximum = softmax.maximum.values[m];
    const float maximum = max(old_maximum, maxima.values[m]);
    correction.values[m] = exp2(old_maximum - guarded_maximum(maximum));
    softmax.maximum.values[m] = maximum;
  }
  return correction;
}

// S (raw scores) becomes P under the running maxima. The logit is not rounded
// before the maximum is subtracted.
template <int kTileRows, int kTileColumns>
METAL_FUNC void exponentiate(thread RegisterTile<kTileRows, kTileColumns>& s,
                             float scale_log2,
                             thread const OnlineSoftmax<kTileRows>& softmax) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    const float shift = guarded_maximum(softmax.maximum.values[m]);
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kTileColumns / 8; n++) {
      s.fragments[m][n].thread_elements() =
          exp2(fma(s.fragments[m][n].thread_elements(),
                   float2(scale_log2),
                   float2(-shift)));
    }
  }
}

// l = correction * l + rowsum(P), for this lane's share.
template <int kTileRows, int kTileColumns>
METAL_FUNC void add_to_sum(thread OnlineSoftmax<kTileRows>& softmax,
                           thread const RowVector<kTileRows>& correction,
                           thread RegisterTile<kTileRows, kTileColumns>& p) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    softmax.partial_sum.values[m] = fma(softmax.partial_sum.values[m],
                                        correction.values[m],
                                        lane_row_sum(p, m));
  }
}

// Adds the lanes' shares of l, and returns what the output is divided by: l,
// but one for a row without an allowed key, whose output is zero by definition.
template <int kTileRows>
METAL_FUNC RowVector<kTileRows> finish(
    thread OnlineSoftmax<kTileRows>& softmax) {
  RowVector<kTileRows> divisor;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    const float sum = row_sum(softmax.partial_sum.values[m]);
    softmax.partial_sum.values[m] = sum;
    divisor.values[m] = sum == 0.0f ? 1.0f : sum;
  }
  return divisor;
}

// Natural logarithm of the sum of exponentials of finished rows: minus
// infinity, chosen by its bits, for a row without an allowed key.
template <int kTileRows>
METAL_FUNC RowVector<kTileRows> log_sum_exp(
    thread const OnlineSoftmax<kTileRows>& softmax) {
  RowVector<kTileRows> result;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    const float sum = softmax.partial_sum.values[m];
    const float maximum = softmax.maximum.values[m];
    const float value = fma(maximum, M_LN2_F, fma(maximum, kLn2Rest, log(sum)));
    result.values[m] = as_type<float>(sum == 0.0f ? kNegativeInfinityBits
                                                  : as_type<uint>(value));
  }
  return result;
}
