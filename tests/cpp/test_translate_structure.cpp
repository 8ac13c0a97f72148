// SPDX-License-Identifier: MIT
// Scopes, statements and template lists found in a token list.
#define BOOST_TEST_MODULE translate_structure
#include <boost/test/included/unit_test.hpp>

#include "simulator/translate/constant_expression.h"
#include "simulator/translate/function_header.h"
#include "simulator/translate/metal_source.h"

namespace simulator = flash_attn_mps::simulator;
using simulator::MetalSource;
using simulator::ScopeKind;

namespace {

std::vector<ScopeKind> kinds_of(const MetalSource& source) {
  std::vector<ScopeKind> kinds;
  for (const auto& scope : source.structure().scopes) {
    kinds.push_back(scope.kind);
  }
  return kinds;
}

// Of the first statement of the text.
std::string name_of(const std::string& text) {
  const MetalSource source(text, "f");
  const auto& statement = source.structure().statements.front();
  const auto header =
      simulator::read_function_header(source, {statement.begin, statement.end});
  return header ? source.original_text({header->name_begin, header->name_end})
                : "";
}

std::optional<std::int64_t> value_of(const std::string& declarations,
                                     const std::string& expression) {
  const MetalSource source(declarations + " int x[" + expression + "];", "f");
  const simulator::IntegerConstants constants(source);
  const auto& tokens = source.text().tokens;
  std::size_t open = tokens.size() - 1;
  while (!tokens[open].is("[") || !tokens[open - 1].is("x")) {
    --open;
  }
  return constants.evaluate({open + 1, source.partner(open)});
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kind_of_scope_is_told_apart) {
  const MetalSource source(
      "namespace a { struct S : B<int> { S() : x{1} { f({2}); } int x; }; "
      "enum class E : int { k }; int t[2] = {1, 2}; "
      "void g(int n = T{}) { if (n) { struct L {}; } } }",
      "f");
  const std::vector<ScopeKind> expected = {ScopeKind::kFile,
                                           ScopeKind::kNamespace,
                                           ScopeKind::kType,
                                           ScopeKind::kInitializer,
                                           ScopeKind::kFunction,
                                           ScopeKind::kBlock,
                                           ScopeKind::kType,
                                           ScopeKind::kInitializer,
                                           ScopeKind::kInitializer,
                                           ScopeKind::kFunction,
                                           ScopeKind::kBlock,
                                           ScopeKind::kType};
  BOOST_TEST((kinds_of(source) == expected));
  BOOST_TEST(simulator::scope_prefix(source.structure(), 2) == "a::S::");
}

BOOST_AUTO_TEST_CASE(a_function_that_returns_a_struct_is_a_function) {
  const MetalSource source("struct S f(int x) { return S(); }", "f");
  BOOST_TEST((kinds_of(source)[1] == ScopeKind::kFunction));
}

BOOST_AUTO_TEST_CASE(a_struct_with_alignment_is_a_type) {
  const MetalSource source("struct alignas(16) S { int x; };", "f");
  BOOST_TEST((source.structure().scopes[1].kind == ScopeKind::kType));
  BOOST_TEST(source.structure().scopes[1].name == "S");
}

BOOST_AUTO_TEST_CASE(template_lists_nest_and_comparisons_do_not_open_one) {
  const MetalSource source("a<b<1>, (2 > 1), c> x; y < z;", "f");
  const auto& tokens = source.text().tokens;
  const std::size_t end = source.after_group(1);
  BOOST_TEST(tokens[end].is("x"));
  BOOST_TEST(source.after_group(end + 3) == end + 4);
}

BOOST_AUTO_TEST_CASE(attributes_are_found_and_subscripts_are_not) {
  const MetalSource source(
      "int x [[buffer(3), metal::color(a[b[0]])]] = v[w[1]];", "f");
  BOOST_TEST_REQUIRE(source.attributes().size() == 1U);
  const auto& list = source.attributes().front().attributes;
  BOOST_TEST_REQUIRE(list.size() == 2U);
  BOOST_TEST(list[0].name == "buffer");
  BOOST_TEST(source.original_text(list[0].arguments) == "3");
  BOOST_TEST(list[1].name == "color");
}

BOOST_AUTO_TEST_CASE(function_names_survive_attributes_and_templates) {
  BOOST_TEST(name_of("[[kernel]] void f(int x) {}") == "f");
  BOOST_TEST(name_of("template <typename T> a::b<T> n::f<T>(int x) {}") ==
             "n::f");
  BOOST_TEST(name_of("[[max_total_threads_per_threadgroup(64)]] kernel "
                     "__attribute__((used)) void f(int x) {}") == "f");
  BOOST_TEST(name_of("kernel void ::a::f<int>(int x);") == "::a::f");
  BOOST_TEST(name_of("S operator+(S a, S b) {}") == "operator+");
  BOOST_TEST(name_of("bool operator()(int a) const {}") == "operator()");
  BOOST_TEST(name_of("template decltype(f<int>) f<int>;") == "f");
}

BOOST_AUTO_TEST_CASE(template_parameters_are_named_up_to_the_first_unnamed) {
  const MetalSource source(
      "template <typename T, int kN = 3, class... Rest, typename = void> "
      "void f() {}",
      "f");
  const std::vector<std::string> expected = {"T", "kN", "Rest..."};
  BOOST_TEST(simulator::template_parameter_names(source, 0) == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(integer_expressions_of_every_form) {
  BOOST_TEST(value_of("", "2 + 3 * 4 - 1").value() == 13);
  BOOST_TEST(value_of("", "(1 << 4) | 0x3u").value() == 19);
  BOOST_TEST(value_of("", "-7 / 2 + int(9) % 4").value() == -2);
  BOOST_TEST(value_of("", "static_cast<uint>(64 >> 2)").value() == 16);
  BOOST_TEST(value_of("enum E { kA, kB = 5, kC };", "kC * 2").value() == 12);
  BOOST_TEST(value_of("namespace n { enum E { kA = 4 }; }", "n::kA").value() ==
             4);
  BOOST_TEST(value_of("constant constexpr int kN = 6;", "kN + 1").value() == 7);
  BOOST_TEST(!value_of("", "unknown + 1").has_value());
  BOOST_TEST(!value_of("", "1 / 0").has_value());
}
