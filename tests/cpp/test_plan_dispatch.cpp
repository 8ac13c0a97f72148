// SPDX-License-Identifier: MIT
// Grids, buffers and the sequence of kernels: full groups only, nothing that
// was not asked for, every slot of a kernel bound.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numbers>

#include "example_problems.h"
#include "plan/dispatch_plan.h"

namespace {

using namespace flash_attn_mps;

std::vector<std::string> kernel_names(
    const std::vector<PlannedKernel>& kernels) {
  std::vector<std::string> names;
  for (const PlannedKernel& kernel : kernels) {
    names.emplace_back(kernel_function_name(kernel.tiling.kernel));
  }
  return names;
}

std::vector<std::string> backward_names(const AttentionProblem& problem,
                                        const RequestedGradients& gradients) {
  return kernel_names(plan_backward(problem, gradients, m1_max_traits()));
}

AttentionProblem small_problem() {
  return dense_example(
      {2, 6, 3, 77, 130, 64, 40}, ElementType::kFloat32, Masking::kNone);
}

void check_buffers(const PlannedKernel& kernel,
                   const RequestedGradients& gradients) {
  for (const BufferBinding& binding : kernel.dispatch.buffers) {
    const AttentionBuffer operand = binding.operand;
    BOOST_TEST((operand != kGradQueryBuffer || gradients.query));
    BOOST_TEST((operand != kGradKeyBuffer || gradients.key));
    BOOST_TEST((operand != kGradValueBuffer || gradients.value));
    BOOST_TEST((operand != kDeltaBuffer || gradients.query || gradients.key));
  }
}

BOOST_AUTO_TEST_SUITE(dispatch_plan)

BOOST_AUTO_TEST_CASE(covers_every_row_with_full_groups) {
  const AttentionProblem problem = small_problem();
  for (const KernelName kernel : {KernelName::kForward,
                                  KernelName::kDelta,
                                  KernelName::kBackwardQuery,
                                  KernelName::kBackwardKeyValue}) {
    const TilingPlan tiling =
        plan_tiling(problem, kernel, {true, true, true}, m1_max_traits());
    const DispatchPlan plan = plan_dispatch(problem, tiling);
    const bool owns_keys = kernel == KernelName::kBackwardKeyValue;
    const int64_t heads = owns_keys ? 2 * 3 : 2 * 6;
    const int64_t rows = owns_keys ? 130 : 77;
    BOOST_TEST(plan.grid_threads % plan.threads_per_threadgroup == 0);
    const int64_t tiles =
        plan.grid_threads / plan.threads_per_threadgroup / heads;
    BOOST_TEST(tiles * tiling.rows_per_threadgroup() >= rows);
    BOOST_TEST((tiles - 1) * tiling.rows_per_threadgroup() < rows);
  }
}

BOOST_AUTO_TEST_CASE(computes_only_the_requested_gradients) {
  const AttentionProblem problem = small_problem();
  using Names = std::vector<std::string>;
  const std::string delta = "attention_delta";
  const std::string query = "attention_backward_query";
  const std::string key_value = "attention_backward_key_value";
  BOOST_TEST((backward_names(problem, {}) == Names{}));
  BOOST_TEST(
      (backward_names(problem, {true, false, false}) == Names{delta, query}));
  BOOST_TEST((backward_names(problem, {false, true, false}) ==
              Names{delta, key_value}));
  BOOST_TEST(
      (backward_names(problem, {false, false, true}) == Names{key_value}));
  BOOST_TEST((backward_names(problem, {true, true, true}) ==
              Names{delta, query, key_value}));
}

BOOST_AUTO_TEST_CASE(splits_keys_and_values_where_registers_are_scarce) {
  const AttentionProblem problem = dense_example(
      {1, 1, 1, 9, 9, 256, 256}, ElementType::kFloat16, Masking::kNone);
  const auto kernels =
      plan_backward(problem, {false, true, true}, m1_max_traits());
  BOOST_REQUIRE_EQUAL(kernels.size(), 3U);
  BOOST_TEST((kernels[1].tiling.gradients == RequestedGradients{.key = true}));
  BOOST_TEST(
      (kernels[2].tiling.gradients == RequestedGradients{.value = true}));
}

BOOST_AUTO_TEST_CASE(binds_no_operand_that_does_not_exist) {
  const AttentionProblem problem = small_problem();
  for (unsigned subset = 0; subset < 8; ++subset) {
    const RequestedGradients gradients = {
        (subset & 1U) != 0, (subset & 2U) != 0, (subset & 4U) != 0};
    for (const auto& kernel :
         plan_backward(problem, gradients, m1_max_traits())) {
      check_buffers(kernel, gradients);
    }
  }
}

BOOST_AUTO_TEST_CASE(binds_the_same_slots_whatever_is_requested) {
  const AttentionProblem problem = small_problem();
  const auto slots = [&](const RequestedGradients& gradients) {
    std::vector<int> found;
    const auto kernels = plan_backward(problem, gradients, m1_max_traits());
    for (const auto& binding : kernels.back().dispatch.buffers) {
      found.push_back(binding.slot);
    }
    return found;
  };
  BOOST_TEST(slots({false, true, true}) == slots({false, true, false}));
  BOOST_TEST(slots({false, true, true}) == slots({false, false, true}));
}

BOOST_AUTO_TEST_CASE(leaves_out_kernels_with_nothing_to_write) {
  const auto empty = [](const ExampleSizes& sizes) {
    return dense_example(sizes, ElementType::kFloat32, Masking::kNone);
  };
  const DeviceTraits traits = m1_max_traits();
  BOOST_TEST(plan_forward(empty({0, 1, 1, 5, 5, 8, 8}), traits).empty());
  BOOST_TEST(plan_forward(empty({1, 0, 0, 5, 5, 8, 8}), traits).empty());
  BOOST_TEST(plan_forward(empty({1, 1, 1, 0, 5, 8, 8}), traits).empty());
  // Without keys the output is zero and log_sum_exp minus infinity: written.
  BOOST_TEST(plan_forward(empty({1, 1, 1, 5, 0, 8, 8}), traits).size() == 1U);
  const std::vector<std::string> query_only = {"attention_delta",
                                               "attention_backward_query"};
  BOOST_TEST((backward_names(empty({1, 1, 1, 5, 0, 8, 8}),
                             {true, true, true}) == query_only));
  // Without queries the gradients of keys and values are zero: written.
  const std::vector<std::string> keys_only = {"attention_backward_key_value"};
  BOOST_TEST((backward_names(empty({1, 1, 1, 0, 5, 8, 8}),
                             {true, true, true}) == keys_only));
}

BOOST_AUTO_TEST_CASE(fills_the_parameters) {
  AttentionProblem problem = small_problem();
  problem.scale = 0.3;
  const AttentionParams params =
      plan_forward(problem, m1_max_traits()).front().dispatch.params;
  BOOST_TEST(params.query.batch_stride == 6 * 77 * 64);
  BOOST_TEST(params.value.row_stride == 40);
  BOOST_TEST(params.query_heads == 6U);
  BOOST_TEST(params.heads_per_group == 2U);
  BOOST_TEST(params.query_length == 77U);
  BOOST_TEST(params.key_length == 130U);
  BOOST_TEST(params.scale == 0.3F);
  BOOST_TEST(params.scale_log2 ==
             static_cast<float>(0.3 * std::numbers::log2e));
}

BOOST_AUTO_TEST_CASE(differs_when_a_parameter_differs) {
  AttentionProblem problem = small_problem();
  const auto plan = [&] {
    return plan_forward(problem, m1_max_traits()).front().dispatch;
  };
  const DispatchPlan before = plan();
  BOOST_TEST((before == plan()));
  problem.strides.value.head += 8;
  BOOST_TEST((before != plan()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
