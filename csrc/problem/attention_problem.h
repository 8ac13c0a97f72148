// SPDX-License-Identifier: MIT
// What is asked of the kernels: sizes, strides, types, masking and scale as
// plain numbers. It holds no pointer and no tensor, and it decides nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flash_attn_mps {

enum class ElementType { kFloat32, kFloat16, kBFloat16 };

enum class Masking {
  kNone,
  // Query row i sees the keys j <= i (top-left aligned, as in torch).
  kCausal,
};

// Bytes of one element.
int64_t element_size_bytes(ElementType type);

// "float32", "float16" or "bfloat16".
std::string_view element_type_name(ElementType type);

// The type of such a name; nothing for any other.
std::optional<ElementType> element_type_from_name(std::string_view name);

// "none" or "causal".
std::string_view masking_name(Masking masking);

// Distance, in elements, between neighbours along the first three dimensions
// of a tensor [batch, heads, length, head_dim]; the last distance is 1.
struct TensorStrides {
  int64_t batch = 0;
  int64_t head = 0;
  int64_t row = 0;

  bool operator==(const TensorStrides&) const = default;
};

// Strides of every 4-D operand. The forward pass reads the first four; the
// backward pass reads all but those of gradients that were not asked for,
// which are zero. log_sum_exp is contiguous: [batch, query_heads,
// query_length], float32.
struct OperandStrides {
  TensorStrides query;
  TensorStrides key;
  TensorStrides value;
  TensorStrides output;
  TensorStrides grad_output;
  TensorStrides grad_query;
  TensorStrides grad_key;
  TensorStrides grad_value;

  bool operator==(const OperandStrides&) const = default;
};

// A problem that passed the argument checks. Every size is >= 0, head_dim and
// value_head_dim are at most kMaxHeadDim, and key_value_heads divides
// query_heads (both may be 0).
struct AttentionProblem {
  ElementType element_type = ElementType::kFloat32;
  Masking masking = Masking::kNone;
  int64_t batch = 0;
  int64_t query_heads = 0;
  int64_t key_value_heads = 0;
  int64_t query_length = 0;
  int64_t key_length = 0;
  int64_t head_dim = 0;
  int64_t value_head_dim = 0;
  // Factor of query . key before the softmax; any finite or non-finite value.
  double scale = 1.0;
  OperandStrides strides;

  // Query heads that share one key/value head; 1 without heads.
  int64_t heads_per_group() const;

  bool operator==(const AttentionProblem&) const = default;
};

// Largest head dimension of query, key and value that the kernels take.
inline constexpr int64_t kMaxHeadDim = 256;

// Rows are counted in 32 bits, with room for a block behind the last one.
inline constexpr int64_t kMaxLength = 2147483647;

// One "name: value" line per member, for `explain` and for golden texts.
std::string describe(const AttentionProblem& problem);

// Strides of a dense row-major tensor [batch, heads, length, head_dim].
TensorStrides row_major_strides(int64_t heads,
                                int64_t length,
                                int64_t head_dim);

}  // namespace flash_attn_mps
