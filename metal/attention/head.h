// SPDX-License-Identifier: MIT
// Which rows of which head a simdgroup owns, and where a head's rows begin.
// Base offsets are 64 bits wide; the grid has one dimension, in which the tiles
// of one head are neighbours.
#pragma once

#include "metal/shared/attention_params.h"
#include "metal/tile/device_rows.h"
#include "metal/tile/store.h"

using namespace flash_attn_mps;

struct Head {
  uint batch;
  uint index;
};

struct OwnedRows {
  Head head;
  uint first;  // first of kRows rows; may lie past the end
};

// `group` counts threadgroups of kSimdgroups * kRows rows. With kIsReversed the
// last tile of a head comes first.
template <bool kIsReversed>
METAL_FUNC OwnedRows
owned_rows(uint group, ushort simdgroup, uint length, uint heads) {
  constexpr uint kGroupRows = kSimdgroups * kRows;
  const uint tiles = (length + kGroupRows - 1) / kGroupRows;
  const uint tile = kIsReversed ? tiles - 1 - group % tiles : group % tiles;
  OwnedRows owned;
  owned.head.batch = group / tiles / heads;
  owned.head.index = group / tiles % heads;
  owned.first = tile * kGroupRows + simdgroup * kRows;
  return owned;
}

METAL_FUNC long head_offset(constant OperandLayout& layout, Head head) {
  return layout.batch_stride * long(head.batch) +
         layout.head_stride * long(head.index);
}

// The rows of one head of an operand.
template <typename T>
METAL_FUNC DeviceRows<T> head_rows(device const T* operand,
                                   constant OperandLayout& layout,
                                   Head head,
                                   uint length) {
  DeviceRows<T> rows;
  rows.first = operand + head_offset(layout, head);
  rows.row_stride = layout.row_stride;
  rows.row_count = length;
  return rows;
}

// The rows of one head of a result.
template <typename T>
METAL_FUNC WritableRows<T> writable_head_rows(device T* operand,
                                              constant OperandLayout& layout,
                                              Head head,
                                              uint length) {
  WritableRows<T> rows;
  rows.first = operand + head_offset(layout, head);
  rows.row_stride = layout.row_stride;
  rows.row_count = length;
  return rows;
}

// The key/value head that a query head attends to.
METAL_FUNC Head key_value_head(constant AttentionParams& params, Head head) {
  Head shared;
  shared.batch = head.batch;
  shared.index = head.index / params.heads_per_group;
  return shared;
}

METAL_FUNC uint key_value_heads(constant AttentionParams& params) {
  return params.query_heads / params.heads_per_group;
}

// One of the query heads that attend to a key/value head.
METAL_FUNC Head group_member(constant AttentionParams& params,
                             Head key_value_head,
                             uint member) {
  Head query_head;
  query_head.batch = key_value_head.batch;
  query_head.index = key_value_head.index * params.heads_per_group + member;
  return query_head;
}

// Index of a head's first row in log_sum_exp and in delta, which are
// contiguous: [batch, query_heads, query_length].
METAL_FUNC long statistic_offset(constant AttentionParams& params, Head head) {
  return (long(head.batch) * long(params.query_heads) + long(head.index)) *
         long(params.query_length);
}
