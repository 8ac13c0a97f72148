// SPDX-License-Identifier: MIT
// Tensors -> problem -> plan -> launch, for both passes. Nothing is allocated
// before the arguments have been checked.
#include "torch/attention_operators.h"

#include <torch/csrc/stable/ops.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "dispatch/launch_kernels.h"
#include "plan/dispatch_plan.h"
#include "torch/allocation.h"
#include "torch/device_admission.h"
#include "torch/operand.h"

namespace flash_attn_mps {
namespace {

void refuse(const AttentionArguments& arguments) {
  const Refusals refusals = check_arguments(arguments, host_platform());
  if (!refusals.sentences.empty()) {
    throw std::runtime_error(refusals.text());
  }
}

AttentionProblem attention_problem(const Operand& query,
                                   const Operand& key,
                                   const Operand& value,
                                   bool is_causal,
                                   std::optional<double> scale) {
  const FourDimensions& q = query.dimensions;
  const FourDimensions& k = key.dimensions;
  const FourDimensions& v = value.dimensions;
  OperandStrides strides;
  strides.query = q.strides;
  strides.key = k.strides;
  strides.value = v.strides;
  return {
      .element_type = element_type_of(query.tensor),
      .masking = is_causal ? Masking::kCausal : Masking::kNone,
      .batch = q.batch,
      .query_heads = q.heads,
      .key_value_heads = k.heads,
      .query_length = q.length,
      .key_length = k.length,
      .head_dim = q.head_dim,
      .value_head_dim = v.head_dim,
      .scale = scale.value_or(1.0 / std::sqrt(static_cast<double>(q.head_dim))),
      .strides = strides};
}

// True if no query meets a key: then every result is known without a kernel.
bool has_no_scores(const AttentionProblem& problem) {
  return problem.batch == 0 || problem.query_heads == 0 ||
         problem.query_length == 0 || problem.key_length == 0;
}

// A tensor without elements may have no buffer on the device; a slot that no
// thread touches gets the query instead, which is never empty when a kernel is
// launched.
AtenTensorHandle bindable(const Tensor& tensor, const Tensor& query) {
  return tensor.numel() > 0 ? tensor.get() : query.get();
}

OperandHandles input_handles(const Operand& query,
                             const Operand& key,
                             const Operand& value) {
  OperandHandles handles{};
  handles[kQueryBuffer] = query.tensor.get();
  handles[kKeyBuffer] = bindable(key.tensor, query.tensor);
  handles[kValueBuffer] = bindable(value.tensor, query.tensor);
  return handles;
}

std::vector<int64_t> row_sizes(const Tensor& query) {
  const auto sizes = sizes_of(query);
  return {sizes.begin(), sizes.end() - 1};
}

// A gradient's operand, if it was asked for.
std::optional<Operand> gradient_operand(const Operand& input, bool is_wanted) {
  if (!is_wanted) {
    return std::nullopt;
  }
  return writable_operand(input, input.dimensions.head_dim);
}

std::optional<Tensor> gradient_tensor(const std::optional<Operand>& operand) {
  if (!operand) {
    return std::nullopt;
  }
  return operand->tensor;
}

// The gradients of a backward call in the order query, key, value.
struct GradientOperands {
  std::optional<Operand> query;
  std::optional<Operand> key;
  std::optional<Operand> value;

  Gradients tensors() const {
    return {
        gradient_tensor(query), gradient_tensor(key), gradient_tensor(value)};
  }
};

void fill_with_zeros(const GradientOperands& gradients) {
  for (const auto* gradient :
       {&gradients.query, &gradients.key, &gradients.value}) {
    if (*gradient) {
      Tensor tensor = (*gradient)->tensor;
      torch::stable::zero_(tensor);
    }
  }
}

void add_gradient(const std::optional<Operand>& gradient,
                  AttentionBuffer slot,
                  TensorStrides& strides,
                  OperandHandles& handles) {
  if (gradient) {
    strides = gradient->dimensions.strides;
    handles[slot] = gradient->tensor.get();
  }
}

AttentionArguments backward_arguments(const BackwardCall& call) {
  return {
      .operator_name = "flash_attn_mps::backward",
      .query = tensor_argument(call.query),
      .key = tensor_argument(call.key),
      .value = tensor_argument(call.value),
      .mask = std::nullopt,
      .backward =
          BackwardArguments{.grad_output = tensor_argument(call.grad_output),
                            .output = tensor_argument(call.output),
                            .log_sum_exp = tensor_argument(call.log_sum_exp)},
      .is_causal = call.is_causal,
      .enable_gqa = call.enable_gqa};
}

// Launches the kernels of the backward pass on prepared operands.
void launch_backward(const BackwardCall& call,
                     const std::array<Operand, 3>& inputs,
                     AttentionProblem problem,
                     const GradientOperands& gradients) {
  const auto& [query, key, value] = inputs;
  const Operand grad_output = readable_operand(call.grad_output);
  const Operand output = readable_operand(call.output);
  const Tensor log_sum_exp = torch::stable::contiguous(call.log_sum_exp);
  OperandStrides& strides = problem.strides;
  strides.output = output.dimensions.strides;
  strides.grad_output = grad_output.dimensions.strides;
  OperandHandles handles = input_handles(query, key, value);
  handles[kOutputBuffer] = bindable(output.tensor, query.tensor);
  handles[kGradOutputBuffer] = bindable(grad_output.tensor, query.tensor);
  handles[kLogSumExpBuffer] = log_sum_exp.get();
  add_gradient(gradients.query, kGradQueryBuffer, strides.grad_query, handles);
  add_gradient(gradients.key, kGradKeyBuffer, strides.grad_key, handles);
  add_gradient(gradients.value, kGradValueBuffer, strides.grad_value, handles);

  std::optional<Tensor> delta;
  if (gradients.query || gradients.key) {
    delta = allocate(row_major_layout(row_sizes(call.query)),
                     query.tensor,
                     aoti_torch_dtype_float32());
    handles[kDeltaBuffer] = delta->get();
  }
  const RequestedGradients requested{.query = gradients.query.has_value(),
                                     .key = gradients.key.has_value(),
                                     .value = gradients.value.has_value()};
  launch_kernels(problem,
                 plan_backward(problem, requested, m1_max_traits()),
                 handles,
                 device_of(query.tensor));
}

}  // namespace

std::tuple<Tensor, Tensor> attention_forward(const Tensor& query,
                                             const Tensor& key,
                                             const Tensor& value,
                                             bool is_causal,
                                             std::optional<double> scale,
                                             bool enable_gqa) {
  refuse({.operator_name = "flash_attn_mps::forward",
          .query = tensor_argument(query),
          .key = tensor_argument(key),
          .value = tensor_argument(value),
          .mask = std::nullopt,
          .backward = std::nullopt,
          .is_causal = is_causal,
          .enable_gqa = enable_gqa});
  require_admitted_device(query);
  begin_allocations();
  const Operand q = readable_operand(query);
  const Operand k = readable_operand(key);
  const Operand v = readable_operand(value);
  AttentionProblem problem = attention_problem(q, k, v, is_causal, scale);
  const Operand output = writable_operand(q, problem.value_head_dim);
  Tensor log_sum_exp = allocate(
      row_major_layout(row_sizes(query)), q.tensor, aoti_torch_dtype_float32());
  if (has_no_scores(problem)) {
    Tensor empty = output.tensor;
    torch::stable::zero_(empty);
    torch::stable::fill_(log_sum_exp, -std::numeric_limits<double>::infinity());
    return {output.tensor, log_sum_exp};
  }
  problem.strides.output = output.dimensions.strides;
  OperandHandles handles = input_handles(q, k, v);
  handles[kOutputBuffer] = bindable(output.tensor, q.tensor);
  handles[kLogSumExpBuffer] = log_sum_exp.get();
  launch_kernels(problem,
                 plan_forward(problem, m1_max_traits()),
                 handles,
                 device_of(q.tensor));
  return {output.tensor, log_sum_exp};
}

Gradients attention_backward(const BackwardCall& call) {
  refuse(backward_arguments(call));
  if (call.output_mask.size() != 3) {
    throw std::runtime_error(
        "flash_attn_mps::backward: output_mask must have 3 entries, for query, "
        "key and value; got " +
        std::to_string(call.output_mask.size()) + ".");
  }
  require_admitted_device(call.query);
  begin_allocations();
  const std::array<Operand, 3> inputs{readable_operand(call.query),
                                      readable_operand(call.key),
                                      readable_operand(call.value)};
  const GradientOperands gradients{
      .query = gradient_operand(inputs[0], call.output_mask[0]),
      .key = gradient_operand(inputs[1], call.output_mask[1]),
      .value = gradient_operand(inputs[2], call.output_mask[2])};
  const AttentionProblem problem = attention_problem(
      inputs[0], inputs[1], inputs[2], call.is_causal, call.scale);
  if (has_no_scores(problem) || problem.value_head_dim == 0) {
    fill_with_zeros(gradients);
  } else if (gradients.query || gradients.key || gradients.value) {
    launch_backward(call, inputs, problem, gradients);
  }
  return gradients.tensors();
}

}  // namespace flash_attn_mps
