// SPDX-License-Identifier: MIT
// Tiles: they fit the registers of the device, and depend on head dimensions
// alone.
#include <boost/test/unit_test.hpp>

#include "example_problems.h"
#include "plan/dispatch_plan.h"
#include "plan/tiling_plan.h"

namespace {

using namespace flash_attn_mps;

constexpr RequestedGradients kAllGradients = {true, true, true};

std::vector<PlannedKernel> all_kernels(const AttentionProblem& problem) {
  std::vector<PlannedKernel> kernels = plan_forward(problem, m1_max_traits());
  for (const PlannedKernel& kernel :
       plan_backward(problem, kAllGradients, m1_max_traits())) {
    kernels.push_back(kernel);
  }
  return kernels;
}

AttentionProblem with_head_dims(int64_t head_dim, int64_t value_head_dim) {
  return dense_example({1, 2, 1, 40, 50, head_dim, value_head_dim},
                       ElementType::kFloat16,
                       Masking::kCausal);
}

void check_fits(const PlannedKernel& kernel, const DeviceTraits& traits) {
  const TilingPlan& tiling = kernel.tiling;
  BOOST_TEST_CONTEXT(describe(tiling)) {
    BOOST_TEST(tiling.register_bytes <= traits.register_budget_bytes);
    BOOST_TEST(tiling.threadgroup_bytes <= traits.threadgroup_memory_bytes);
    BOOST_TEST(tiling.threads_per_threadgroup() <=
               traits.max_threads_per_threadgroup);
    BOOST_TEST(tiling.rows_per_simdgroup % 8 == 0);
    BOOST_TEST(tiling.step_rows % 8 == 0);
  }
}

void check_all_fit(const AttentionProblem& problem) {
  for (const PlannedKernel& kernel : all_kernels(problem)) {
    check_fits(kernel, m1_max_traits());
  }
}

BOOST_AUTO_TEST_SUITE(tiling_plan)

BOOST_AUTO_TEST_CASE(fits_the_device_for_every_pair_of_head_dims) {
  for (int64_t head_dim = 1; head_dim <= kMaxHeadDim; head_dim += 5) {
    for (int64_t value_dim = 1; value_dim <= kMaxHeadDim; value_dim += 17) {
      check_all_fit(with_head_dims(head_dim, value_dim));
    }
  }
}

BOOST_AUTO_TEST_CASE(forgets_lengths_heads_strides_and_scale) {
  const AttentionProblem one = with_head_dims(80, 96);
  AttentionProblem other = one;
  other.batch = 7;
  other.query_heads = 12;
  other.key_value_heads = 3;
  other.query_length = 1;
  other.key_length = 4097;
  other.scale = -2.0;
  other.strides.query.row = 12345;
  for (const KernelName kernel : {KernelName::kForward,
                                  KernelName::kDelta,
                                  KernelName::kBackwardQuery,
                                  KernelName::kBackwardKeyValue}) {
    BOOST_TEST((plan_tiling(one, kernel, kAllGradients, m1_max_traits()) ==
                plan_tiling(other, kernel, kAllGradients, m1_max_traits())));
  }
}

BOOST_AUTO_TEST_CASE(takes_smaller_tiles_where_registers_are_scarce) {
  const AttentionProblem problem = with_head_dims(64, 64);
  DeviceTraits scarce = m1_max_traits();
  scarce.register_budget_bytes = 256;
  const auto tile = [&](const DeviceTraits& traits) {
    return plan_tiling(problem, KernelName::kForward, {}, traits);
  };
  BOOST_TEST(tile(m1_max_traits()).rows_per_simdgroup == 16);
  BOOST_TEST(tile(scarce).rows_per_simdgroup == 8);
  BOOST_TEST(tile(scarce).register_bytes <= scarce.register_budget_bytes);
}

BOOST_AUTO_TEST_CASE(computes_one_gradient_with_the_tiles_of_both) {
  // The gradients of a subset must equal those of the whole bit for bit.
  const AttentionProblem problem = with_head_dims(64, 64);
  const TilingPlan both = plan_tiling(problem,
                                      KernelName::kBackwardKeyValue,
                                      {false, true, true},
                                      m1_max_traits());
  for (const RequestedGradients one :
       {RequestedGradients{.key = true}, RequestedGradients{.value = true}}) {
    const auto kernels = plan_backward(problem, one, m1_max_traits());
    const TilingPlan& tiling = kernels.back().tiling;
    BOOST_TEST(tiling.step_rows == both.step_rows);
    BOOST_TEST(tiling.rows_per_simdgroup == both.rows_per_simdgroup);
  }
}

BOOST_AUTO_TEST_CASE(describes_every_member) {
  const TilingPlan plan = plan_tiling(with_head_dims(64, 64),
                                      KernelName::kBackwardKeyValue,
                                      {false, true, true},
                                      m1_max_traits());
  BOOST_TEST(describe(plan) ==
             "kernel: attention_backward_key_value\n"
             "gradients: key, value\n"
             "rows_per_simdgroup: 8\n"
             "simdgroups: 4\n"
             "step_rows: 32\n"
             "threadgroup_bytes: 0\n"
             "register_bytes: 408\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
