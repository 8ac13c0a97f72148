// SPDX-License-Identifier: MIT
// Grids, buffer lists and the filling of AttentionParams.
#include "plan/dispatch_plan.h"

#include <array>
#include <bit>
#include <cstddef>
#include <numbers>
#include <sstream>

namespace flash_attn_mps {
namespace {

OperandLayout layout(const TensorStrides& strides) {
  return {.batch_stride = strides.batch,
          .head_stride = strides.head,
          .row_stride = strides.row};
}

AttentionParams attention_params(const AttentionProblem& problem) {
  const OperandStrides& strides = problem.strides;
  return {
      .query = layout(strides.query),
      .key = layout(strides.key),
      .value = layout(strides.value),
      .output = layout(strides.output),
      .grad_output = layout(strides.grad_output),
      .grad_query = layout(strides.grad_query),
      .grad_key = layout(strides.grad_key),
      .grad_value = layout(strides.grad_value),
      .query_heads = static_cast<uint32_t>(problem.query_heads),
      .heads_per_group = static_cast<uint32_t>(problem.heads_per_group()),
      .query_length = static_cast<uint32_t>(problem.query_length),
      .key_length = static_cast<uint32_t>(problem.key_length),
      .scale = static_cast<float>(problem.scale),
      // Multiplied in double, so that the factor is rounded once.
      .scale_log2 = static_cast<float>(problem.scale * std::numbers::log2e)};
}

BufferBinding bind(AttentionBuffer slot) {
  return {.slot = slot, .operand = slot};
}

std::vector<BufferBinding> key_value_buffers(
    const RequestedGradients& gradients) {
  const auto used = [](AttentionBuffer slot,
                       bool is_used,
                       AttentionBuffer stand_in) {
    return BufferBinding{.slot = slot, .operand = is_used ? slot : stand_in};
  };
  return {bind(kQueryBuffer),
          bind(kKeyBuffer),
          bind(kValueBuffer),
          bind(kLogSumExpBuffer),
          bind(kGradOutputBuffer),
          used(kDeltaBuffer, gradients.key, kLogSumExpBuffer),
          used(kGradKeyBuffer, gradients.key, kGradValueBuffer),
          used(kGradValueBuffer, gradients.value, kGradKeyBuffer),
          bind(kParamsBuffer)};
}

std::vector<BufferBinding> buffers(const TilingPlan& tiling) {
  switch (tiling.kernel) {
    case KernelName::kForward:
      return {bind(kQueryBuffer),
              bind(kKeyBuffer),
              bind(kValueBuffer),
              bind(kOutputBuffer),
              bind(kLogSumExpBuffer),
              bind(kParamsBuffer)};
    case KernelName::kDelta:
      return {bind(kOutputBuffer),
              bind(kGradOutputBuffer),
              bind(kDeltaBuffer),
              bind(kParamsBuffer)};
    case KernelName::kBackwardQuery:
      return {bind(kQueryBuffer),
              bind(kKeyBuffer),
              bind(kValueBuffer),
              bind(kLogSumExpBuffer),
              bind(kGradOutputBuffer),
              bind(kDeltaBuffer),
              bind(kGradQueryBuffer),
              bind(kParamsBuffer)};
    case KernelName::kBackwardKeyValue:
      return key_value_buffers(tiling.gradients);
  }
  return {};
}

PlannedKernel plan_kernel(const AttentionProblem& problem,
                          KernelName kernel,
                          const RequestedGradients& gradients,
                          const DeviceTraits& traits) {
  const TilingPlan tiling = plan_tiling(problem, kernel, gradients, traits);
  return {.tiling = tiling, .dispatch = plan_dispatch(problem, tiling)};
}

// One kernel for both gradients when its accumulators fit the registers;
// otherwise one kernel each, which repeats S = Q K^T but never spills.
std::vector<RequestedGradients> key_value_passes(
    const AttentionProblem& problem,
    const RequestedGradients& gradients,
    const DeviceTraits& traits) {
  const RequestedGradients key_only = {.key = true};
  const RequestedGradients value_only = {.value = true};
  if (gradients.key && gradients.value) {
    const RequestedGradients both = {.key = true, .value = true};
    const TilingPlan plan =
        plan_tiling(problem, KernelName::kBackwardKeyValue, both, traits);
    if (plan.register_bytes <= traits.register_budget_bytes) {
      return {both};
    }
    return {key_only, value_only};
  }
  std::vector<RequestedGradients> passes;
  if (gradients.key) {
    passes.push_back(key_only);
  }
  if (gradients.value) {
    passes.push_back(value_only);
  }
  return passes;
}

// Gradients that were asked for and have at least one element.
RequestedGradients written_gradients(const AttentionProblem& problem,
                                     const RequestedGradients& gradients) {
  const bool has_query =
      problem.batch > 0 && problem.query_heads > 0 && problem.query_length > 0;
  const bool has_key = problem.batch > 0 && problem.key_value_heads > 0 &&
                       problem.key_length > 0;
  return {
      .query = gradients.query && has_query && problem.head_dim > 0,
      .key = gradients.key && has_key && problem.head_dim > 0,
      .value = gradients.value && has_key && problem.value_head_dim > 0,
  };
}

void describe_layout(std::ostringstream& text,
                     std::string_view name,
                     const OperandLayout& operand) {
  text << "params." << name << ": " << operand.batch_stride << ", "
       << operand.head_stride << ", " << operand.row_stride << "\n";
}

void describe_params(std::ostringstream& text, const AttentionParams& params) {
  describe_layout(text, "query", params.query);
  describe_layout(text, "key", params.key);
  describe_layout(text, "value", params.value);
  describe_layout(text, "output", params.output);
  describe_layout(text, "grad_output", params.grad_output);
  describe_layout(text, "grad_query", params.grad_query);
  describe_layout(text, "grad_key", params.grad_key);
  describe_layout(text, "grad_value", params.grad_value);
  text << "params.query_heads: " << params.query_heads << "\n"
       << "params.heads_per_group: " << params.heads_per_group << "\n"
       << "params.query_length: " << params.query_length << "\n"
       << "params.key_length: " << params.key_length << "\n"
       << "params.scale: " << params.scale << "\n"
       << "params.scale_log2: " << params.scale_log2 << "\n";
}

}  // namespace

bool DispatchPlan::operator==(const DispatchPlan& other) const {
  // AttentionParams is also Metal and has no operator==; it has no padding.
  using Bytes = std::array<std::byte, sizeof(AttentionParams)>;
  return grid_threads == other.grid_threads &&
         threads_per_threadgroup == other.threads_per_threadgroup &&
         buffers == other.buffers &&
         std::bit_cast<Bytes>(params) == std::bit_cast<Bytes>(other.params);
}

DispatchPlan plan_dispatch(const AttentionProblem& problem,
                           const TilingPlan& tiling) {
  const bool owns_keys = tiling.kernel == KernelName::kBackwardKeyValue;
  const int64_t length = owns_keys ? problem.key_length : problem.query_length;
  const int64_t heads =
      owns_keys ? problem.key_value_heads : problem.query_heads;
  const int64_t rows = tiling.rows_per_threadgroup();
  const int64_t tiles = (length + rows - 1) / rows;
  const int64_t threads = tiling.threads_per_threadgroup();
  return {.grid_threads = tiles * heads * problem.batch * threads,
          .threads_per_threadgroup = threads,
          .buffers = buffers(tiling),
          .params = attention_params(problem)};
}

std::vector<PlannedKernel> plan_forward(const AttentionProblem& problem,
                                        const DeviceTraits& traits) {
  PlannedKernel kernel = plan_kernel(problem, KernelName::kForward, {}, traits);
  if (kernel.dispatch.grid_threads == 0) {
    return {};
  }
  return {kernel};
}

std::vector<PlannedKernel> plan_backward(const AttentionProblem& problem,
                                         const RequestedGradients& requested,
                                         const DeviceTraits& traits) {
  const RequestedGradients gradients = written_gradients(problem, requested);
  std::vector<PlannedKernel> kernels;
  const auto add = [&](KernelName kernel, const RequestedGradients& computed) {
    kernels.push_back(plan_kernel(problem, kernel, computed, traits));
    if (kernels.back().dispatch.grid_threads == 0) {
      kernels.pop_back();
    }
  };
  if (gradients.query || gradients.key) {
    add(KernelName::kDelta, {});
  }
  if (gradients.query) {
    add(KernelName::kBackwardQuery, {.query = true});
  }
  for (const auto& pass : key_value_passes(problem, gradients, traits)) {
    add(KernelName::kBackwardKeyValue, pass);
  }
  return kernels;
}

std::string_view buffer_name(AttentionBuffer buffer) {
  constexpr std::array<std::string_view, kAttentionBufferCount> kNames = {
      "query",
      "key",
      "value",
      "output",
      "log_sum_exp",
      "grad_output",
      "delta",
      "grad_query",
      "grad_key",
      "grad_value",
      "params"};
  return buffer < kNames.size() ? kNames[buffer] : "unknown";
}

std::string describe(const DispatchPlan& plan) {
  std::ostringstream text;
  text << "grid_threads: " << plan.grid_threads << "\n"
       << "threads_per_threadgroup: " << plan.threads_per_threadgroup << "\n"
       << "buffers:";
  for (const BufferBinding& binding : plan.buffers) {
    text << " " << binding.slot << "=" << buffer_name(binding.operand);
  }
  text << "\n";
  describe_params(text, plan.params);
  return text.str();
}

}  // namespace flash_attn_mps
