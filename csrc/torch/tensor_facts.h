// SPDX-License-Identifier: MIT
// What the operators read from a tensor, in the words of csrc/problem. It
// changes no tensor and checks nothing.
#pragma once

#include <torch/csrc/stable/tensor.h>

#include <span>
#include <string>

#include "dispatch/kernel_parameters.h"
#include "problem/argument_checks.h"
#include "problem/attention_problem.h"

namespace flash_attn_mps {

using torch::stable::Tensor;

std::span<const int64_t> sizes_of(const Tensor& tensor);
std::span<const int64_t> strides_of(const Tensor& tensor);

// torch's number of the dtype. torch::stable::Tensor::scalar_type throws on
// dtypes that are newer than the target version, so it is not used.
int32_t dtype_code(const Tensor& tensor);

DeviceLocation device_of(const Tensor& tensor);

// Python's name of the dtype without "torch.", for example "float32".
std::string dtype_name(int32_t code);

// For tensors that passed the checks; throws std::logic_error for a dtype that
// the kernels do not take.
ElementType element_type_of(const Tensor& tensor);

// Sizes, dtype and device for check_arguments.
TensorArgument tensor_argument(const Tensor& tensor);

}  // namespace flash_attn_mps
