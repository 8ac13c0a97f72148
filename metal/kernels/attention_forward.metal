// SPDX-License-Identifier: MIT
// Forward attention: O = softmax(scale Q K^T) V and its log-sum-exp. A
// simdgroup owns kRows queries of one head and shares nothing with its
// neighbours. Line for line the algorithm "Forward" of docs/algorithm.md.

#include "metal/attention/block_range.h"
#include "metal/attention/head.h"
#include "metal/attention/masking.h"
#include "metal/attention/online_softmax.h"
#include "metal/attention/row_statistics.h"
#include "metal/shared/buffer_indices.h"
#include "metal/tile/product.h"

[[kernel, max_total_threads_per_threadgroup(kThreads)]] void attention_forward(
    device const Element* query [[buffer(kQueryBuffer)]],
    device const Element* key [[buffer(kKeyBuffer)]],
    device const Element* value [[buffer(kValueBuffer)]],
    device Element* output [[buffer(kOutputBuffer)]],
    device float* log_sum_exps [[buffer(kLogSumExpBuffer)]],
    constant AttentionParams& params [[buffer(kParamsBuffer)]],
    uint group [[threadgroup_position_in_grid]],
    ushort simdgroup [[simdgroup_index_in_threadgroup]],
    ushort lane_index [[thread_index_in_simdgroup]]) {
  const LaneCoordinate lane = lane_coordinate(lane_index);
  const OwnedRows rows = owned_rows</*kIsReversed=*/kIsCausal>(
      group, simdgroup, params.query_length, params.query_heads);
  if (rows.first >= params.query_length) {
    return;
  }
  const Head key_head = key_value_head(params, rows.head);
  const DeviceRows<Element> q =
      head_rows(query, params.query, rows.head, params.query_length);
  const DeviceRows<Element> k =
      head_rows(key, params.key, key_head, params.key_length);
  const DeviceRows<Element> v =
      head_rows(value, params.value, key_head, params.key_length);

  RegisterTile<kRows, padded_columns(kValueHeadDim)> o;
  fill_zero(o);
  OnlineSoftmax<kRows> softmax;
  start(softmax);

  const BlockRange keys = key_range(params, rows.first);
  for (uint c = keys.begin; c < keys.end; c += kStepRows) {
    RegisterTile<kRows, kStepRows> s;
    fill_zero(s);
    multiply_transposed<kHeadDim>(s, q, rows.first, k, c, lane);
    const ScoreBlock<TileRows::kQueries> block = {rows.first, c};
    const RowVector<kRows> maxima = block_maximum(s, block, params, lane);
    const RowVector<kRows> correction = raise_maximum(softmax, maxima);
    exponentiate(s, params.scale_log2, softmax);
    replace_masked(s, block, params, lane, 0.0f);
    add_to_sum(softmax, correction, s);
    scale_rows_and_multiply<kValueHeadDim>(o, correction, s, v, c, lane);
  }

  const RowVector<kRows> divisor = finish(softmax);
  divide_rows(o, divisor);
  const WritableRows<Element> out =
      writable_head_rows(output, params.output, rows.head, params.query_length);
  store_tile<kValueHeadDim>(out, rows.first, o, lane);
  const RowVector<kRows> statistic = log_sum_exp(softmax);
  store_by_row(log_sum_exps + statistic_offset(params, rows.head),
               params.query_length,
               rows.first,
               statistic,
               lane);
}
