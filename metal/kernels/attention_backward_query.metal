// SPDX-License-Identifier: MIT
// Gradient of the queries: dQ = scale dS K. A simdgroup owns kRows queries of
// one head, as in the forward pass, and visits the same key blocks. "Backward,
// queries" of docs/algorithm.md.

#include "metal/attention/block_range.h"
#include "metal/attention/head.h"
#include "metal/attention/masking.h"
#include "metal/attention/recomputed_probabilities.h"
#include "metal/attention/row_statistics.h"
#include "metal/shared/buffer_indices.h"
#include "metal/tile/product.h"

[[kernel, max_total_threads_per_threadgroup(kThreads)]] void
attention_backward_query(
    device const Element* query [[buffer(kQueryBuffer)]],
    device const Element* key [[buffer(kKeyBuffer)]],
    device const Element* value [[buffer(kValueBuffer)]],
    device const float* log_sum_exps [[buffer(kLogSumExpBuffer)]],
    device const Element* grad_output [[buffer(kGradOutputBuffer)]],
    device const float* deltas [[buffer(kDeltaBuffer)]],
    device Element* grad_query [[buffer(kGradQueryBuffer)]],
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
  const DeviceRows<Element> d_o = head_rows(
      grad_output, params.grad_output, rows.head, params.query_length);
  const RowVector<kRows> l = load_by_row<kRows>(
      log_sum_exp_rows(log_sum_exps, params, rows.head), rows.first, lane);
  const RowVector<kRows> delta = load_by_row<kRows>(
      statistic_rows(deltas, params, rows.head), rows.first, lane);

  RegisterTile<kRows, padded_columns(kHeadDim)> dq;
  fill_zero(dq);
  RowVector<kRows> p_sums = filled<kRows>(0.0f);

  const BlockRange keys = key_range(params, rows.first);
  for (uint c = keys.begin; c < keys.end; c += kStepRows) {
    RegisterTile<kRows, kStepRows> p;
    fill_zero(p);
    multiply_transposed<kHeadDim>(p, q, rows.first, k, c, lane);
    recompute_probabilities(p, params.scale_log2, l);
    const ScoreBlock<TileRows::kQueries> block = {rows.first, c};
    drop_constant_rows(p, block, params, lane);
    replace_masked(p, block, params, lane, 0.0f);
    add_row_sums(p_sums, p);
    RegisterTile<kRows, kStepRows> ds;
    fill_negative(ds, delta);
    multiply_for_difference<kValueHeadDim>(ds, d_o, rows.first, v, c, lane);
    multiply_elements(ds, p);
    replace_masked(ds, block, params, lane, 0.0f);
    multiply<kHeadDim>(dq, ds, k, c, lane);
  }

  const RowVector<kRows> factors = normalized_scale(p_sums, params.scale);
  scale_rows(dq, factors);
  const WritableRows<Element> out = writable_head_rows(
      grad_query, params.grad_query, rows.head, params.query_length);
  store_tile<kHeadDim>(out, rows.first, dq, lane);
}
