// SPDX-License-Identifier: MIT
// The list of kernel families covers what the planner makes of any problem.

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "plan/dispatch_plan.h"
#include "specialize/kernel_family.h"

namespace fam = flash_attn_mps;

namespace {

// What a family is about: everything in the spec but the size of head
// dimensions.
bool is_of_one_family(const fam::KernelSpec& spec,
                      const fam::KernelSpec& family) {
  const auto fills = [](int head_dim) { return head_dim % 8 == 0; };
  return spec.kernel == family.kernel &&
         spec.element_type == family.element_type &&
         spec.masking == family.masking && spec.gradients == family.gradients &&
         spec.rows_per_simdgroup == family.rows_per_simdgroup &&
         spec.simdgroups == family.simdgroups &&
         spec.step_rows == family.step_rows &&
         fills(spec.head_dim) == fills(family.head_dim) &&
         fills(spec.value_head_dim) == fills(family.value_head_dim);
}

void check_all_kernels_listed(int64_t head_dim,
                              const std::vector<fam::KernelSpec>& families) {
  fam::AttentionProblem problem{.element_type = fam::ElementType::kBFloat16,
                                .masking = fam::Masking::kCausal,
                                .batch = 2,
                                .query_heads = 4,
                                .key_value_heads = 2,
                                .query_length = 100,
                                .key_length = 77,
                                .head_dim = head_dim,
                                .value_head_dim = head_dim,
                                .scale = 0.5,
                                .strides = {}};
  const fam::RequestedGradients all{.query = true, .key = true, .value = true};
  auto kernels = fam::plan_forward(problem, fam::m1_max_traits());
  const auto backward = fam::plan_backward(problem, all, fam::m1_max_traits());
  kernels.insert(kernels.end(), backward.begin(), backward.end());
  for (const auto& kernel : kernels) {
    const auto spec = fam::kernel_spec_from_plan(problem, kernel.tiling);
    BOOST_TEST(std::any_of(families.begin(),
                           families.end(),
                           [&](const auto& family) {
                             return is_of_one_family(spec, family);
                           }),
               fam::describe(spec));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(kernel_families_hold_every_planned_kernel) {
  const auto families = fam::kernel_families(fam::m1_max_traits());
  for (int64_t head_dim = 1; head_dim <= fam::kMaxHeadDim; ++head_dim) {
    check_all_kernels_listed(head_dim, families);
  }
}

BOOST_AUTO_TEST_CASE(kernel_families_have_unique_names) {
  const auto families = fam::kernel_families(fam::m1_max_traits());
  std::set<std::string> names;
  for (const auto& family : families) {
    names.insert(fam::family_name(family));
  }
  BOOST_TEST(names.size() == families.size());
}
