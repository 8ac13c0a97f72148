// SPDX-License-Identifier: MIT
// delta = rowsum(dO * O) of every query, which both backward kernels subtract
// from dP. "Delta" of docs/algorithm.md; unscaled, float32.

#include "metal/attention/head.h"
#include "metal/attention/row_statistics.h"
#include "metal/shared/buffer_indices.h"
#include "metal/tile/load.h"
#include "metal/tile/row_reduction.h"

[[kernel, max_total_threads_per_threadgroup(kThreads)]] void attention_delta(
    device const Element* output [[buffer(kOutputBuffer)]],
    device const Element* grad_output [[buffer(kGradOutputBuffer)]],
    device float* deltas [[buffer(kDeltaBuffer)]],
    constant AttentionParams& params [[buffer(kParamsBuffer)]],
    uint group [[threadgroup_position_in_grid]],
    ushort simdgroup [[simdgroup_index_in_threadgroup]],
    ushort lane_index [[thread_index_in_simdgroup]]) {
  const LaneCoordinate lane = lane_coordinate(lane_index);
  const OwnedRows rows = owned_rows</*kIsReversed=*/false>(
      group, simdgroup, params.query_length, params.query_heads);
  if (rows.first >= params.query_length) {
    return;
  }
  const DeviceRows<Element> o =
      head_rows(output, params.output, rows.head, params.query_length);
  const DeviceRows<Element> d_o = head_rows(
      grad_output, params.grad_output, rows.head, params.query_length);

  RowVector<kRows> delta;
  FLASH_ATTN_UNROLL
  for (int m = 0; m < kRows / 8; m++) {
    const uint row = rows.first + 8 * m + lane.row;
    delta.values[m] =
        row_dot<kValueHeadDim>(o.row(row), d_o.row(row), lane.column);
  }
  store_by_row(deltas + statistic_offset(params, rows.head),
               params.query_length,
               rows.first,
               delta,
               lane);
}
