// SPDX-License-Identifier: MIT
// Dimensions in front of [length, head_dim]: broadcasting them, and seeing any
// rank >= 2 as [batch, heads, length, head_dim] without moving data. Arithmetic
// on sizes and strides only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

// The shape that all shapes broadcast to, right-aligned; nothing if two sizes
// differ and neither is 1.
std::optional<std::vector<int64_t>> broadcast_shapes(
    const std::vector<std::vector<int64_t>>& shapes);

}  // namespace flash_attn_mps
