// SPDX-License-Identifier: MIT
// The backward pass's probabilities P = exp(scale S - L), recomputed from raw
// scores and the stored log-sum-exp L.
#pragma once

#include "metal/attention/online_softmax.h"
#include "metal/tile/product.h"

// S (raw scores) becomes P. log_sum_exp is in base e: a RowVector where the
// tile's rows are queries and a ColumnVector where its columns are. Its change
// to base 2 keeps what a float32 product drops, because the rounding of a large
// log_sum_exp is a factor of a whole row of P.
template <int kM, int kN, typename Statistic>
METAL_FUNC void recompute_probabilities(thread RegisterTile<kM, kN>& s,
                                        float scale_log2,
                                        thread const Statistic& log_sum_exp) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    FLASH_ATTN_UNROLL
    for (int n = 0; n < kN / 8; n++) {
      const float2 l = log_sum_exp.at(m, n);
      const float2 l_log2 = l * M_LOG2E_F;
      const float2 rest =
          fma(l, float2(kLog2ERest), fma(l, float2(M_LOG2E_F), -l_log2));
      const float2 score = s.fragments[m][n].thread_elements();
      s.fragments[m][n].thread_elements() =
          exp2(fma(score, float2(scale_log2), -l_log2) - rest);
    }
  }
}

// sums += the lane's share of rowsum(P).
template <int kM, int kN>
METAL_FUNC void add_row_sums(thread RowVector<kM>& sums,
                             thread RegisterTile<kM, kN>& p) {
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    sums.values[m] += lane_row_sum(p, m);
  }
}

// scale / rowsum(P). The recomputed P of a row has the sum exp(error of the
// stored log_sum_exp), which would be an error of the whole row of dQ. A row
// without a derivative has the sum zero and keeps the scale.
template <int kM>
METAL_FUNC RowVector<kM> normalized_scale(thread const RowVector<kM>& sums,
                                          float scale) {
  RowVector<kM> factors;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kM / 8; m++) {
    const float sum = row_sum(sums.values[m]);
    factors.values[m] = sum == 0.0f ? scale : scale / sum;
  }
  return factors;
}

// c[kM, kN] = c + a b^T, where c holds -delta. Where one key has nearly all of
// a row's probability, dP is nearly delta, and the difference must not drown in
// the rounding of the sum: float32 inputs need the compensated product, while
// the rounding of 16-bit inputs is larger by far.
template <int kDepth, int kM, int kN, typename T>
METAL_FUNC void multiply_for_difference(thread RegisterTile<kM, kN>& c,
                                        thread const DeviceRows<T>& a,
                                        uint a_row,
                                        thread const DeviceRows<T>& b,
                                        uint b_row,
                                        LaneCoordinate lane) {
  if constexpr (sizeof(T) == 4) {
    multiply_transposed_compensated<kDepth>(c, a, a_row, b, b_row, lane);
  } else {
    multiply_transposed<kDepth>(c, a, a_row, b, b_row, lane);
  }
}
