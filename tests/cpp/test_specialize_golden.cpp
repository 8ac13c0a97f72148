// SPDX-License-Identifier: MIT
// Golden texts of the whole chain from problem to source. A difference is not
// an error of its own: run tests/golden/regenerate.py and explain the change.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "example_problems.h"
#include "plan/dispatch_plan.h"
#include "specialize/kernel_source.h"

namespace {

using namespace flash_attn_mps;

void compare_or_write(const std::string& file, const std::string& text) {
  const std::string path = "tests/golden/" + file;
  if (std::getenv("FLASH_ATTN_MPS_REGENERATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
  }
  std::ifstream golden(path);
  BOOST_REQUIRE_MESSAGE(golden, path + " is missing; run from the root");
  std::ostringstream expected;
  expected << golden.rdbuf();
  BOOST_TEST(text == expected.str(),
             path +
                 " differs; run tests/golden/regenerate.py and read the "
                 "difference");
}

std::vector<PlannedKernel> all_kernels(const AttentionProblem& problem) {
  auto kernels = plan_forward(problem, m1_max_traits());
  for (const auto& kernel :
       plan_backward(problem, {true, true, true}, m1_max_traits())) {
    kernels.push_back(kernel);
  }
  return kernels;
}

std::string constants_of(const std::string& source) {
  return source.substr(0, source.find("#line"));
}

BOOST_AUTO_TEST_SUITE(golden)

BOOST_AUTO_TEST_CASE(plans_specs_and_constants_are_as_recorded) {
  for (const auto& [name, problem] : example_problems()) {
    std::ostringstream text;
    text << "[problem]\n" << describe(problem);
    for (const PlannedKernel& kernel : all_kernels(problem)) {
      const KernelSpec spec = kernel_spec_from_plan(problem, kernel.tiling);
      text << "\n[tiling]\n"
           << describe(kernel.tiling) << "[dispatch]\n"
           << describe(kernel.dispatch) << "[spec]\n"
           << describe(spec) << "[constants]\n"
           << constants_of(kernel_source_from_spec(spec));
    }
    compare_or_write("plan_" + name + ".txt", text.str());
  }
}

BOOST_AUTO_TEST_CASE(source_is_as_recorded) {
  const AttentionProblem problem = example_problems().front().problem;
  const PlannedKernel kernel = all_kernels(problem).front();
  compare_or_write(
      "source_attention_forward.txt",
      kernel_source_from_spec(kernel_spec_from_plan(problem, kernel.tiling)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
