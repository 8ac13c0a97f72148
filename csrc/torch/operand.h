// SPDX-License-Identifier: MIT
// Tensors of any rank as the kernels want them: last stride 1, folded to four
// dimensions. Copies only what no strides can describe.
#pragma once

#include "problem/leading_dimensions.h"
#include "torch/allocation.h"

namespace flash_attn_mps {

// A tensor that a kernel reads or writes, and how it walks through it.
struct Operand {
  Tensor tensor;
  FourDimensions dimensions;
};

// An operand for a kernel to read: the tensor itself, or a row-major copy.
Operand readable_operand(const Tensor& tensor);

// A new operand for a kernel to write, laid out as result_layout says for the
// input that it belongs to.
Operand writable_operand(const Operand& input, int64_t last_size);

}  // namespace flash_attn_mps
