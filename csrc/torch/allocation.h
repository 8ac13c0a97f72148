// SPDX-License-Identifier: MIT
// The one function that allocates results and scratch, and the layouts that
// results have. It checks no argument and starts no kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "torch/tensor_facts.h"

namespace flash_attn_mps {

struct TensorLayout {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  bool operator==(const TensorLayout&) const = default;
};

TensorLayout row_major_layout(std::vector<int64_t> sizes);

// The layout of a result that belongs to an input: torch.empty_like's, dense,
// with another size of the last dimension, whose stride is always 1. Row-major
// if the input's last stride is not 1, since then the input is copied.
TensorLayout result_layout(const Tensor& input, int64_t last_size);

// Starts the allocations of one call of an operator: what an earlier call
// allocated and no kernel touched is no concern of this one's kernels.
void begin_allocations();

// Uninitialised memory with dtype and device of `like`, or another dtype. With
// FLASH_ATTN_MPS_POISON=1 in the environment it is filled with NaN, so that
// what a kernel leaves unwritten shows.
Tensor allocate(const TensorLayout& layout, const Tensor& like, int32_t dtype);

}  // namespace flash_attn_mps
