// SPDX-License-Identifier: MIT
// The two passes as functions on tensors: checks, allocation and launch. Their
// schemas are in operator_library.cpp, their gradients in Python.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "torch/tensor_facts.h"

namespace flash_attn_mps {

// Output [..., query_length, value_head_dim] and log_sum_exp [...,
// query_length], natural logarithm, float32. Throws std::runtime_error with the
// sentences of check_arguments.
std::tuple<Tensor, Tensor> attention_forward(const Tensor& query,
                                             const Tensor& key,
                                             const Tensor& value,
                                             bool is_causal,
                                             std::optional<double> scale,
                                             bool enable_gqa);

using Gradients = std::
    tuple<std::optional<Tensor>, std::optional<Tensor>, std::optional<Tensor>>;

// What every parameter of the backward operator is; the schema fixes their
// number, which is beyond what a function should take.
struct BackwardCall {
  Tensor grad_output;
  Tensor query;
  Tensor key;
  Tensor value;
  Tensor output;
  Tensor log_sum_exp;
  bool is_causal = false;
  std::optional<double> scale;
  bool enable_gqa = false;
  // Which of the gradients of query, key and value to compute.
  std::vector<bool> output_mask;
};

// Gradients of query, key and value; nothing where output_mask is false.
Gradients attention_backward(const BackwardCall& call);

}  // namespace flash_attn_mps
