// SPDX-License-Identifier: MIT
// Folding and copying of operands.
#include "torch/operand.h"

#include <torch/csrc/stable/ops.h>

#include <stdexcept>

namespace flash_attn_mps {
namespace {

// Both the tensor and a result laid out after it must fold, or its gradient
// could not be written in place.
std::optional<FourDimensions> dimensions_without_copy(const Tensor& tensor) {
  const auto sizes = sizes_of(tensor);
  const auto strides = strides_of(tensor);
  if (sizes.back() > 1 && strides.back() != 1) {
    return std::nullopt;
  }
  if (sizes.size() > 4) {
    const TensorLayout result = result_layout(tensor, sizes.back());
    if (!fold_leading_dimensions(result.sizes, result.strides)) {
      return std::nullopt;
    }
  }
  return fold_leading_dimensions(sizes, strides);
}

FourDimensions dense_dimensions(const TensorLayout& layout) {
  const auto folded = fold_leading_dimensions(layout.sizes, layout.strides);
  if (!folded) {
    throw std::logic_error(
        "internal error in operand: a dense layout did not fold, please "
        "report");
  }
  return *folded;
}

}  // namespace

Operand readable_operand(const Tensor& tensor) {
  if (const auto dimensions = dimensions_without_copy(tensor)) {
    return {.tensor = tensor, .dimensions = *dimensions};
  }
  const auto sizes = sizes_of(tensor);
  const TensorLayout layout = row_major_layout({sizes.begin(), sizes.end()});
  return {.tensor = torch::stable::contiguous(tensor),
          .dimensions = dense_dimensions(layout)};
}

Operand writable_operand(const Operand& input, int64_t last_size) {
  const TensorLayout layout = result_layout(input.tensor, last_size);
  return {.tensor = allocate(layout, input.tensor, dtype_code(input.tensor)),
          .dimensions = dense_dimensions(layout)};
}

}  // namespace flash_attn_mps
