// SPDX-License-Identifier: MIT
// The numbers that every attention kernel reads at run time, compiled by Metal
// and by C++ from this one text. What is known when a kernel is compiled is
// not here: it is in the constants at the head of the generated text.
#pragma once

#ifndef __METAL_VERSION__
#include <cstddef>
#include <cstdint>
#endif

namespace flash_attn_mps {

// Distance in elements between neighbours along the first three dimensions of
// a tensor [batch, heads, length, head_dim]; the last distance is 1.
struct OperandLayout {
  int64_t batch_stride;
  int64_t head_stride;
  int64_t row_stride;
};

// Layouts of operands that a kernel does not touch are zero. log_sum_exp and
// delta are contiguous: [batch, query_heads, query_length], float32.
struct AttentionParams {
  OperandLayout query;
  OperandLayout key;
  OperandLayout value;
  OperandLayout output;
  OperandLayout grad_output;
  OperandLayout grad_query;
  OperandLayout grad_key;
  OperandLayout grad_value;
  uint32_t query_heads;
  uint32_t heads_per_group;  // query heads that share one key/value head
  uint32_t query_length;
  uint32_t key_length;
  float scale;
  float scale_log2;  // scale * log2(e), for the softmax in base 2
};

static_assert(sizeof(OperandLayout) == 24, "Metal and C++ must agree");
static_assert(sizeof(AttentionParams) == 216, "Metal and C++ must agree");
#ifndef __METAL_VERSION__
static_assert(offsetof(AttentionParams, grad_value) == 168);
static_assert(offsetof(AttentionParams, query_heads) == 192);
static_assert(offsetof(AttentionParams, scale_log2) == 212);
#endif

}  // namespace flash_attn_mps
