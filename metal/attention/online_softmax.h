// SPDX-License-Identifier: MIT
// The running softmax of a tile of query rows, in base 2: row maximum m, row
// sum l, and the correction of an output that was accumulated under an older
// maximum. It knows neither keys nor values.
#pragma once

#include "metal/attention/masking.h"
#include "metal/tile/row_reduction.h"

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

// Takes the logits of one row fragment: turns them into probabilities under the
// row maximum `shift` and returns this lane's sum of them.
template <int kTileRows, int kTileColumns>
METAL_FUNC float exponentiate_row(
    thread RegisterTile<kTileRows, kTileColumns>& s,
    int m,
    float shift) {
  float sum = 0.0f;
  FLASH_ATTN_UNROLL
  for (int n = 0; n < kTileColumns / 8; n++) {
    const float2 p = exp2(s.fragments[m][n].thread_elements() - shift);
    s.fragments[m][n].thread_elements() = p;
    sum += p.x + p.y;
  }
  return sum;
}

// S (base-2 logits) becomes P; m and l take the block in. Returns the factor
// that brings what was summed under the old maximum to the new one.
template <int kTileRows, int kTileColumns>
METAL_FUNC RowVector<kTileRows> update(
    thread OnlineSoftmax<kTileRows>& softmax,
    thread RegisterTile<kTileRows, kTileColumns>& s) {
  const RowVector<kTileRows> block_maximum = row_max(s);
  RowVector<kTileRows> correction;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    const float old_maximum = softmax.maximum.values[m];
    const float maximum = max(old_maximum, block_maximum.values[m]);
    const float shift = guarded_maximum(maximum);
    correction.values[m] = exp2(old_maximum - shift);
    softmax.maximum.values[m] = maximum;
    softmax.partial_sum.values[m] = fma(softmax.partial_sum.values[m],
                                        correction.values[m],
                                        exponentiate_row(s, m, shift));
  }
  return correction;
}

// Adds the lanes' shares of l, and returns 1 / l: zero for a row without an
// allowed key, whose output is zero by definition.
template <int kTileRows>
METAL_FUNC RowVector<kTileRows> finish(
    thread OnlineSoftmax<kTileRows>& softmax) {
  RowVector<kTileRows> inverse;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kTileRows / 8; m++) {
    const float sum = row_sum(softmax.partial_sum.values[m]);
    softmax.partial_sum.values[m] = sum;
    inverse.values[m] = sum == 0.0f ? 0.0f : 1.0f / sum;
  }
  return inverse;
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
    const float value = fma(softmax.maximum.values[m], M_LN2_F, log(sum));
    result.values[m] = as_type<float>(sum == 0.0f ? kNegativeInfinityBits
                                                  : as_type<uint>(value));
  }
  return result;
}
