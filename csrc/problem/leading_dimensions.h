// SPDX-License-Identifier: MIT
// Any rank >= 2 seen as [batch, heads, length, head_dim] without moving data:
// arithmetic on sizes and strides only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "problem/attention_problem.h"

namespace flash_attn_mps {

struct FourDimensions {
  int64_t batch = 1;
  int64_t heads = 1;
  int64_t length = 0;
  int64_t head_dim = 0;
  TensorStrides strides;

  int64_t elements() const { return batch * heads * length * head_dim; }

  bool operator==(const FourDimensions&) const = default;
};

// Heads are the third dimension from the end; all dimensions in front of them
// become the batch. Nothing if no single stride walks those dimensions in
// order; then the tensor has to be copied. Requires rank >= 2.
std::optional<FourDimensions> fold_leading_dimensions(
    std::span<const int64_t> sizes,
    std::span<const int64_t> strides);

}  // namespace flash_attn_mps
