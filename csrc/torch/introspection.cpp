// SPDX-License-Identifier: MIT
// The operators without tensors; see the header.
#include "torch/introspection.h"

#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "dispatch/kernel_parameters.h"
#include "dispatch/pipeline_cache.h"
#include "plan/dispatch_plan.h"
#include "problem/argument_checks.h"
#include "specialize/kernel_source.h"
#include "specialize/kernel_spec.h"

namespace flash_attn_mps {
namespace {

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> words;
  std::istringstream text(names);
  for (std::string word; std::getline(text, word, ',');) {
    words.push_back(word);
  }
  return words;
}

std::vector<TensorArgument> tensor_arguments(const std::vector<int64_t>& ranks,
                                             const std::vector<int64_t>& sizes,
                                             const std::string& dtypes,
                                             const std::string& devices) {
  const auto dtype_names = split(dtypes);
  const auto device_names = split(devices);
  const std::size_t count = ranks.size();
  if ((count != 3 && count != 4 && count != 6) || dtype_names.size() != count ||
      device_names.size() != count) {
    throw std::runtime_error(
        "flash_attn_mps::refusals: there must be 3, 4 or 6 ranks and as many "
        "dtypes and devices; got " +
        std::to_string(count) + ", " + std::to_string(dtype_names.size()) +
        " and " + std::to_string(device_names.size()) + ".");
  }
  std::vector<TensorArgument> tensors;
  auto size = sizes.begin();
  for (std::size_t i = 0; i < count; ++i) {
    if (ranks[i] < 0 || sizes.end() - size < ranks[i]) {
      throw std::runtime_error(
          "flash_attn_mps::refusals: ranks must add up to the number of sizes; "
          "got " +
          std::to_string(sizes.size()) + " sizes.");
    }
    tensors.push_back({.sizes = {size, size + ranks[i]},
                       .element_type = dtype_names[i],
                       .device = device_names[i]});
    size += ranks[i];
  }
  return tensors;
}

// `sizes` may end with the value's head dimension; it is the query's otherwise.
AttentionProblem dense_problem(const std::vector<int64_t>& sizes,
                               int64_t key_value_heads,
                               ElementType type,
                               bool is_causal) {
  const int64_t batch = sizes[0];
  const int64_t heads = sizes[1];
  const int64_t query_length = sizes[2];
  const int64_t key_length = sizes[3];
  const int64_t head_dim = sizes[4];
  const int64_t value_head_dim = sizes.back();
  const auto query = row_major_strides(heads, query_length, head_dim);
  const auto key = row_major_strides(key_value_heads, key_length, head_dim);
  const auto value =
      row_major_strides(key_value_heads, key_length, value_head_dim);
  const auto output = row_major_strides(heads, query_length, value_head_dim);
  return {.element_type = type,
          .masking = is_causal ? Masking::kCausal : Masking::kNone,
          .batch = batch,
          .query_heads = heads,
          .key_value_heads = key_value_heads,
          .query_length = query_length,
          .key_length = key_length,
          .head_dim = head_dim,
          .value_head_dim = value_head_dim,
          .scale = 1.0 / std::sqrt(static_cast<double>(head_dim)),
          .strides = {.query = query,
                      .key = key,
                      .value = value,
                      .output = output,
                      .grad_output = output,
                      .grad_query = query,
                      .grad_key = key,
                      .grad_value = value}};
}

void explain_kernel(std::ostringstream& text,
                    const AttentionProblem& problem,
                    const PlannedKernel& kernel,
                    const std::string& section) {
  const KernelSpec spec = kernel_spec_from_plan(problem, kernel.tiling);
  text << "[" << section << ".tiling_plan]\n"
       << describe(kernel.tiling) << "[" << section << ".kernel_spec]\n"
       << describe(spec) << "[" << section << ".source]\n"
       << "file: " << kernel_file(spec.kernel) << "\n"
       << "characters: " << kernel_source_from_spec(spec).size() << "\n"
       << "[" << section << ".dispatch_plan]\n"
       << describe(kernel.dispatch);
}

std::vector<PlannedKernel> all_kernels(const AttentionProblem& problem,
                                       const DeviceTraits& traits) {
  std::vector<PlannedKernel> kernels = plan_forward(problem, traits);
  const RequestedGradients all{.query = true, .key = true, .value = true};
  for (const PlannedKernel& kernel : plan_backward(problem, all, traits)) {
    kernels.push_back(kernel);
  }
  return kernels;
}

void write_source(std::ostringstream& text,
                  const KernelSpec& spec,
                  const DispatchPlan& dispatch) {
  text << "//kernel " << kernel_function_name(spec.kernel) << " "
       << dispatch.grid_threads << " " << dispatch.threads_per_threadgroup
       << "\n"
       << kernel_source_from_spec(spec);
}

void refuse_sizes(const std::vector<int64_t>& sizes, std::size_t count) {
  if (sizes.size() != count) {
    throw std::runtime_error(
        "flash_attn_mps::explain: there must be " + std::to_string(count) +
        " sizes, batch, query heads, query length, key length and head "
        "dimension" +
        (count == 6 ? " of query and value" : "") + "; got " +
        std::to_string(sizes.size()) + ".");
  }
  for (const int64_t size : sizes) {
    if (size < 0) {
      throw std::runtime_error(
          "flash_attn_mps::explain: sizes must be >= 0; got " +
          std::to_string(size) + ".");
    }
  }
}

void refuse_explanation(const std::vector<int64_t>& sizes,
                        int64_t key_value_heads,
                        const std::string& dtype,
                        bool is_causal) {
  const TensorArgument query{.sizes = {sizes[0], sizes[1], sizes[2], sizes[4]},
                             .element_type = dtype,
                             .device = "meta"};
  const TensorArgument key{
      .sizes = {sizes[0], key_value_heads, sizes[3], sizes[4]},
      .element_type = dtype,
      .device = "meta"};
  const Refusals refusals =
      check_arguments({.operator_name = "flash_attn_mps::explain",
                       .query = query,
                       .key = key,
                       .value = key,
                       .mask = std::nullopt,
                       .backward = std::nullopt,
                       .is_causal = is_causal,
                       .enable_gqa = true},
                      host_platform());
  if (!refusals.sentences.empty()) {
    throw std::runtime_error(refusals.text());
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size)
std::tuple<std::string, std::string> refusals(const std::string& operator_name,
                                              const std::vector<int64_t>& ranks,
                                              const std::vector<int64_t>& sizes,
                                              const std::string& dtypes,
                                              const std::string& devices,
                                              double dropout_p,
                                              bool is_causal,
                                              bool enable_gqa,
                                              bool may_broadcast) {
  const auto tensors = tensor_arguments(ranks, sizes, dtypes, devices);
  AttentionArguments arguments{.operator_name = operator_name,
                               .query = tensors[0],
                               .key = tensors[1],
                               .value = tensors[2],
                               .mask = std::nullopt,
                               .backward = std::nullopt,
                               .dropout_probability = dropout_p,
                               .is_causal = is_causal,
                               .enable_gqa = enable_gqa,
                               .may_broadcast = may_broadcast};
  if (tensors.size() == 4) {
    arguments.mask = tensors[3];
  } else if (tensors.size() == 6) {
    arguments.backward = BackwardArguments{.grad_output = tensors[3],
                                           .output = tensors[4],
                                           .log_sum_exp = tensors[5]};
  }
  const Refusals found = check_arguments(arguments, host_platform());
  return {error_class_name(found.error_class), found.text()};
}

std::string explain(const std::vector<int64_t>& sizes,
                    int64_t key_value_heads,
                    const std::string& dtype,
                    bool is_causal) {
  refuse_sizes(sizes, /*count=*/5);
  refuse_explanation(sizes, key_value_heads, dtype, is_causal);
  const AttentionProblem problem = dense_problem(
      sizes, key_value_heads, element_type_from_name(dtype).value(), is_causal);
  const DeviceTraits traits = m1_max_traits();
  std::ostringstream text;
  text << "[problem]\n"
       << describe(problem) << "[device_traits]\n"
       << describe(traits);
  std::map<std::string, int> occurrences;
  for (const PlannedKernel& kernel : all_kernels(problem, traits)) {
    std::string section(kernel_function_name(kernel.tiling.kernel));
    // One kernel may be launched once per gradient.
    if (const int count = ++occurrences[section]; count > 1) {
      section += "_" + std::to_string(count);
    }
    explain_kernel(text, problem, kernel, section);
  }
  return text.str();
}

std::string kernel_sources(const std::vector<int64_t>& sizes,
                           int64_t key_value_heads,
                           const std::string& dtype,
                           bool is_causal) {
  refuse_sizes(sizes, /*count=*/6);
  refuse_explanation(sizes, key_value_heads, dtype, is_causal);
  const AttentionProblem problem = dense_problem(
      sizes, key_value_heads, element_type_from_name(dtype).value(), is_causal);
  std::ostringstream text;
  for (const PlannedKernel& kernel : all_kernels(problem, m1_max_traits())) {
    write_source(
        text, kernel_spec_from_plan(problem, kernel.tiling), kernel.dispatch);
  }
  return text.str();
}

std::tuple<int64_t, int64_t, int64_t> cached_pipelines() {
  const PipelineCacheInfo info = pipeline_cache().info();
  return {info.hits, info.misses, info.size};
}

int64_t cached_parameter_buffers() {
  return static_cast<int64_t>(parameter_buffer_count());
}

}  // namespace flash_attn_mps
