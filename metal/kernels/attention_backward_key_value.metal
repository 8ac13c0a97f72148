// SPDX-License-Identifier: MIT
// Gradients of the keys and values: dV = P^T dO and dK = scale dS^T Q, summed
// over the query heads that share a key/value head. A simdgroup owns kRows
// keys, so its tiles are transposed: rows are keys. kWantsGradKey and
// kWantsGradValue leave one of the two out. "Backward, keys and values" of
// docs/algorithm.md.

#include "metal/attention/block_range.h"
#include "metal/attention/head.h"
#include "metal/attention/masking.h"
#include "metal/attention/recomputed_probabilities.h"
#include "metal/attention/row_statistics.h"
#include "metal/shared/buffer_indices.h"
#include "metal/tile/product.h"

[[kernel, max_total_threads_per_threadgroup(kThreads)]] void
attention_backward_key_value(
    device const Element* query [[buffer(kQueryBuffer)]],
    device const Element* key [[buffer(kKeyBuffer)]],
    device const Element* value [[buffer(kValueBuffer)]],
    device const float* log_sum_exps [[buffer(kLogSumExpBuffer)]],
    device const Element* grad_output [[buffer(kGradOutputBuffer)]],
    device const float* deltas [[buffer(kDeltaBuffer)]],
    device Element* grad_key [[buffer(kGradKeyBuffer)]],
    device Element* grad_value [[buffer(kGradValueBuffer)]],
    constant AttentionParams& params [[buffer(kParamsBuffer)]],
    uint group [[threadgroup_position_in_grid]],
    ushort simdgroup [[simdgroup_index_in_threadgroup]],
    ushort lane_index [[thread_index_in_simdgroup]]) {
  const LaneCoordinate lane = lane_coordinate(lane_index);
  const OwnedRows rows = owned_rows</*kIsReversed=*/false>(
      group, simdgroup, params.key_length, key_value_heads(params));
  if (rows.first >= params.key_length) {
    return;
  }
  const DeviceRows<Element> k =
      head_rows(key, params.key, rows.head, params.key_length);
  const DeviceRows<Element> v =
      head_rows(value, params.value, rows.head, params.key_length);

  RegisterTile<kRows, padded_columns(kHeadDim)> dk;
  RegisterTile<kRows, padded_columns(kValueHeadDim)> dv;
  fill_zero(dk);
  fill_zero(dv);

  for (uint member = 0; member < params.heads_per_group; member++) {
    const Head query_head = group_member(params, rows.head, member);
    const DeviceRows<Element> q =
        head_rows(query, params.query, query_head, params.query_length);
    const DeviceRows<Element> d_o = head_rows(
        grad_output, params.grad_output, query_head, params.query_length);
    const BlockRange queries = query_range(params, rows.first);
    for (uint r = queries.begin; r < queries.end; r += kStepRows) {
      const ScoreBlock<TileRows::kKeys> block = {rows.first, r};
      RegisterTile<kRows, kStepRows> p;
      fill_zero(p);
      multiply_transposed<kHeadDim>(p, k, rows.first, q, r, lane);
      const ColumnVector<kStepRows> l = load_by_column<kStepRows>(
          log_sum_exp_rows(log_sum_exps, params, query_head), r, lane);
      recompute_probabilities(p, params.scale_log2, l);
      replace_masked(p, block, params, lane, 0.0f);
      if constexpr (kWantsGradValue) {
        multiply<kValueHeadDim>(dv, p, d_o, r, lane);
      }
      if constexpr (kWantsGradKey) {
        const ColumnVector<kStepRows> delta = load_by_column<kStepRows>(
            statistic_rows(deltas, params, query_head), r, lane);
        RegisterTile<kRows, kStepRows> ds;
        fill_negative(ds, delta);
        multiply_for_difference<kValueHeadDim>(ds, v, rows.first, d_o, r, lane);
        drop_constant_rows(p, block, params, lane);
        multiply_elements(ds, p);
        replace_masked(ds, block, params, lane, 0.0f);
        multiply<kHeadDim>(dk, ds, q, r, lane);
      }
    }
  }

  if constexpr (kWantsGradValue) {
    const WritableRows<Element> out = writable_head_rows(
        grad_value, params.grad_value, rows.head, params.key_length);
    store_tile<kValueHeadDim>(out, rows.first, dv, lane);
  }
  if constexpr (kWantsGradKey) {
    scale(dk, params.scale);
    const WritableRows<Element> out = writable_head_rows(
        grad_key, params.grad_key, rows.head, params.key_length);
    store_tile<kHeadDim>(out, rows.first, dk, lane);
  }
}
