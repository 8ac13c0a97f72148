// SPDX-License-Identifier: MIT
// The generated Metal text: ASCII, self-contained, with lines that name the
// files of metal/.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "example_problems.h"
#include "plan/dispatch_plan.h"
#include "specialize/embedded_metal.h"
#include "specialize/kernel_source.h"

namespace {

using namespace flash_attn_mps;

std::vector<KernelSpec> all_specs() {
  std::vector<KernelSpec> specs;
  for (const auto& [name, problem] : example_problems()) {
    auto kernels = plan_forward(problem, m1_max_traits());
    for (const auto& kernel :
         plan_backward(problem, {true, true, true}, m1_max_traits())) {
      kernels.push_back(kernel);
    }
    for (const auto& kernel : kernels) {
      specs.push_back(kernel_spec_from_plan(problem, kernel.tiling));
    }
  }
  return specs;
}

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Checks that every line of the text stands where its #line directive says.
void check_lines(const std::string& text) {
  std::string file;
  std::size_t number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#line ")) {
      std::istringstream directive(line.substr(6));
      directive >> number >> std::ws;
      std::getline(directive, file);
      file = file.substr(1, file.size() - 2);
      continue;
    }
    if (file.empty() || line.empty()) {
      number += 1;
      continue;
    }
    std::istringstream original{std::string(embedded_metal_file(file))};
    std::string expected;
    for (std::size_t i = 0; i < number; ++i) {
      std::getline(original, expected);
    }
    BOOST_REQUIRE_EQUAL(line, expected);
    number += 1;
  }
}

BOOST_AUTO_TEST_SUITE(kernel_source)

BOOST_AUTO_TEST_CASE(is_ascii_and_self_contained) {
  const auto is_ascii = [](char c) {
    return static_cast<unsigned char>(c) < 128;
  };
  for (const KernelSpec& spec : all_specs()) {
    const std::string text = kernel_source_from_spec(spec);
    BOOST_TEST(std::all_of(text.begin(), text.end(), is_ascii));
    BOOST_TEST(occurrences(text, "#include \"") == 0);
    BOOST_TEST(occurrences(text, "#pragma once") == 0);
  }
}

BOOST_AUTO_TEST_CASE(holds_exactly_its_own_kernel) {
  for (const KernelSpec& spec : all_specs()) {
    const std::string text = kernel_source_from_spec(spec);
    BOOST_TEST(occurrences(text, "[[kernel") == 1);
    const std::string entry =
        std::string(kernel_function_name(spec.kernel)) + "(";
    BOOST_TEST(occurrences(text, entry) == 1);
  }
}

BOOST_AUTO_TEST_CASE(names_files_and_lines) {
  for (const KernelSpec& spec : all_specs()) {
    check_lines(kernel_source_from_spec(spec));
  }
}

BOOST_AUTO_TEST_CASE(bakes_the_spec_in) {
  KernelSpec spec = all_specs().front();
  spec.head_dim = 61;
  spec.masking = Masking::kCausal;
  spec.element_type = ElementType::kBFloat16;
  const std::string text = kernel_source_from_spec(spec);
  BOOST_TEST(occurrences(text, "constant constexpr int kHeadDim = 61;\n") == 1);
  BOOST_TEST(occurrences(text, "constant constexpr bool kIsCausal = true;\n") ==
             1);
  BOOST_TEST(occurrences(text, "using Element = bfloat;\n") == 1);
}

BOOST_AUTO_TEST_CASE(uses_every_file_of_metal_but_the_probes) {
  std::string texts;
  for (const KernelSpec& spec : all_specs()) {
    texts += kernel_source_from_spec(spec);
  }
  for (const std::string_view name : embedded_metal_file_names()) {
    if (name.starts_with("metal/probes/")) {
      continue;
    }
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(occurrences(texts, "\"" + std::string(name) + "\"") > 0);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
