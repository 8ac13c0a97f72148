// SPDX-License-Identifier: MIT
// The cache key: what changes a kernel changes it, and nothing else does.
#include <boost/test/unit_test.hpp>
#include <set>
#include <unordered_map>

#include "example_problems.h"
#include "plan/dispatch_plan.h"
#include "specialize/kernel_spec.h"

namespace {

using namespace flash_attn_mps;

std::vector<KernelSpec> specs(const AttentionProblem& problem) {
  std::vector<KernelSpec> found;
  for (const auto& kernel : plan_forward(problem, m1_max_traits())) {
    found.push_back(kernel_spec_from_plan(problem, kernel.tiling));
  }
  for (const auto& kernel :
       plan_backward(problem, {true, true, true}, m1_max_traits())) {
    found.push_back(kernel_spec_from_plan(problem, kernel.tiling));
  }
  return found;
}

AttentionProblem problem_of_lengths(int64_t query_length, int64_t key_length) {
  return dense_example({2, 4, 2, query_length, key_length, 48, 64},
                       ElementType::kBFloat16,
                       Masking::kCausal);
}

BOOST_AUTO_TEST_SUITE(kernel_spec)

BOOST_AUTO_TEST_CASE(forgets_lengths_heads_strides_and_scale) {
  const std::vector<KernelSpec> before = specs(problem_of_lengths(7, 9));
  for (int64_t length = 1; length < 300; length += 23) {
    AttentionProblem problem = problem_of_lengths(length, 2 * length);
    problem.batch = length;
    problem.query_heads = 8;
    problem.key_value_heads = 1;
    problem.scale = 1.0 / static_cast<double>(length);
    problem.strides.key.head = 9 * length;
    BOOST_TEST((specs(problem) == before));
  }
}

BOOST_AUTO_TEST_CASE(remembers_what_the_text_depends_on) {
  const AttentionProblem problem = problem_of_lengths(7, 9);
  AttentionProblem other_type = problem;
  other_type.element_type = ElementType::kFloat32;
  AttentionProblem other_masking = problem;
  other_masking.masking = Masking::kNone;
  AttentionProblem other_dim = problem;
  other_dim.head_dim = 47;
  AttentionProblem other_value_dim = problem;
  other_value_dim.value_head_dim = 63;
  for (const auto& other :
       {other_type, other_masking, other_dim, other_value_dim}) {
    BOOST_TEST((specs(other)[0] != specs(problem)[0]));
    BOOST_TEST((specs(other).back() != specs(problem).back()));
  }
}

BOOST_AUTO_TEST_CASE(shares_delta_between_maskings_and_head_dims) {
  const AttentionProblem problem = problem_of_lengths(7, 9);
  AttentionProblem other = problem;
  other.masking = Masking::kNone;
  other.head_dim = 200;
  const KernelSpec delta = specs(problem)[1];
  BOOST_TEST((delta.kernel == KernelName::kDelta));
  BOOST_TEST((delta == specs(other)[1]));
}

BOOST_AUTO_TEST_CASE(hashes_equal_specs_equally) {
  const KernelSpecHash hash;
  const auto first = specs(problem_of_lengths(7, 9));
  const auto second = specs(problem_of_lengths(70, 90));
  for (std::size_t i = 0; i < first.size(); ++i) {
    BOOST_TEST(hash(first[i]) == hash(second[i]));
  }
}

BOOST_AUTO_TEST_CASE(describes_specs_apart) {
  std::unordered_map<KernelSpec, std::string, KernelSpecHash> texts;
  std::set<std::string> distinct;
  for (const NamedProblem& example : example_problems()) {
    for (const KernelSpec& spec : specs(example.problem)) {
      texts[spec] = describe(spec);
      distinct.insert(describe(spec));
    }
  }
  BOOST_TEST(texts.size() == distinct.size());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
