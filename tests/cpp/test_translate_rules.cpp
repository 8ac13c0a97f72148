// SPDX-License-Identifier: MIT
// Each rewriting rule by itself: what it changes and what it leaves alone.
#define BOOST_TEST_MODULE translate_rules
#include <boost/test/included/unit_test.hpp>

#include "simulator/translate/function_constants.h"
#include "simulator/translate/language_rules.h"
#include "simulator/translate/threadgroup_variables.h"
#include "simulator/translate/translated_source.h"

namespace simulator = flash_attn_mps::simulator;
using simulator::MetalSource;

namespace {

using Rule = void (*)(MetalSource&);

std::string after(Rule rule, const std::string& text) {
  MetalSource source(text, "f");
  rule(source);
  return source.edits().render();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string refusal(const std::string& text) {
  try {
    simulator::refuse_unsupported_features(MetalSource(text, "k.metal"));
  } catch (const simulator::CompileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(removed_attributes_keep_the_lines) {
  BOOST_TEST(after(simulator::remove_attributes, "int a [[buffer(\n0)]];\nb") ==
             "int a \n;\nb");
}

BOOST_AUTO_TEST_CASE(words_that_opencl_reserves_get_another_name) {
  BOOST_TEST(
      after(simulator::rename_reserved_words, "int local = global + 1;") ==
      "int local_in_metal = global_in_metal + 1;");
  BOOST_TEST(after(simulator::rename_reserved_words, "int locals;") ==
             "int locals;");
}

BOOST_AUTO_TEST_CASE(floating_literals_are_floats) {
  BOOST_TEST(after(simulator::rewrite_floating_literals,
                   "1.0 2. .5 1e3 0x1p-3 1.0f 1.0h 3 0x1e 4u") ==
             "1.0F 2.F .5F 1e3F 0x1p-3F 1.0f 1.0h 3 0x1e 4u");
  BOOST_TEST(after(simulator::rewrite_floating_literals, "1.5bf 2bf") ==
             "static_cast<bfloat>(1.5F) static_cast<bfloat>(2.0F)");
}

BOOST_AUTO_TEST_CASE(plain_unroll_pragmas_lose_their_expression) {
  BOOST_TEST(after(simulator::rewrite_unroll_pragmas,
                   "#pragma unroll(kN / 2)\nx") == "#pragma unroll\nx");
  const std::string clang = "#pragma clang loop unroll(full)\nx";
  BOOST_TEST(after(simulator::rewrite_unroll_pragmas, clang) == clang);
}

BOOST_AUTO_TEST_CASE(functions_in_template_lists_and_aliases_are_references) {
  BOOST_TEST(after(simulator::pass_functions_by_reference,
                   "template <void (*f)(int)> void g() { h(*f)(1); }") ==
             "template <void (&f)(int)> void g() { h(*f)(1); }");
  BOOST_TEST(after(simulator::pass_functions_by_reference,
                   "using F = void (*)(int);") == "using F = void (&)(int);");
}

BOOST_AUTO_TEST_CASE(const_beside_constant_goes) {
  BOOST_TEST(after(simulator::drop_const_beside_constant,
                   "void f(const constant int& a, constant const int* b, "
                   "const device int* c);") ==
             "void f( constant int& a, constant  int* b, "
             "const device int* c);");
}

BOOST_AUTO_TEST_CASE(constant_variables_outside_of_types_lose_constexpr) {
  BOOST_TEST(after(simulator::relax_constant_variables,
                   "constexpr constant float t[2] = {f(1), 2};") ==
             " constant float t[2] = {f(1), 2};");
  const std::string member =
      "struct S { static constexpr constant int k = 1; };";
  BOOST_TEST(after(simulator::relax_constant_variables, member) == member);
  const std::string function = "constexpr constant int* f(constant int* p);";
  BOOST_TEST(after(simulator::relax_constant_variables, function) == function);
}

BOOST_AUTO_TEST_CASE(member_functions_work_on_thread_objects) {
  const auto qualified = [](const std::string& member) {
    return after(simulator::qualify_member_functions,
                 "struct S { " + member + " };");
  };
  BOOST_TEST(
      contains(qualified("int f() const { return 1; }"), "f()  thread const"));
  BOOST_TEST(contains(qualified("T operator()(int x) { return x; }"),
                      "(int x)  thread"));
  for (const char* unchanged : {"int f() device { return 1; }",
                                "static int f() { return 1; }",
                                "int f() const constant;",
                                "int x = g(1);",
                                "using T = decltype(g());",
                                "friend S operator+(S a, S b);",
                                "static_assert(sizeof(int) == 4);",
                                "S(int x) {}"}) {
    BOOST_TEST(qualified(unchanged) ==
               "struct S { " + std::string(unchanged) + " };");
  }
}

BOOST_AUTO_TEST_CASE(constructors_lose_thread_and_keep_other_spaces) {
  BOOST_TEST(
      after(simulator::qualify_member_functions,
            "struct S { S(int x) thread : y(x) {} S(int x) device; };") ==
      "struct S { S(int x)  : y(x) {} S(int x) device; };");
}

BOOST_AUTO_TEST_CASE(temporaries_get_an_overload_that_passes_a_copy) {
  const std::string text =
      after(simulator::accept_temporaries,
            "template <typename T> T f(const thread T& a, thread int& b) { "
            "return a; }");
  BOOST_TEST(contains(text, "const T && a , thread int& b"));
  BOOST_TEST(contains(text, "const auto a_of_temporary = a;"));
  BOOST_TEST(contains(text, "return f<T>(a_of_temporary, b);"));
  const std::string other = "int f(thread int& a) { return a; }";
  BOOST_TEST(after(simulator::accept_temporaries, other) == other);
}

BOOST_AUTO_TEST_CASE(two_such_parameters_get_three_overloads) {
  const std::string text =
      after(simulator::accept_temporaries,
            "int f(const thread A& a, const thread B& b) { return 0; }");
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("return f(", at)) != text.npos;
       ++at) {
    ++count;
  }
  BOOST_TEST(count == 3U);
}

BOOST_AUTO_TEST_CASE(structs_can_be_copied_out_of_constant_memory) {
  const std::string text =
      after(simulator::add_constant_copies, "struct S { int x; };");
  BOOST_TEST(contains(text, "S(const constant S&) = default;"));
  BOOST_TEST(contains(text, "S& operator=(const constant S&) = default;"));
  BOOST_TEST(contains(text, "S() = default;"));
  BOOST_TEST(!contains(
      after(simulator::add_constant_copies, "struct S { S(int x); };"),
      "S() = default;"));
  for (const char* other : {"union U { int x; };", "enum E { kA };"}) {
    BOOST_TEST(after(simulator::add_constant_copies, other) == other);
  }
}

BOOST_AUTO_TEST_CASE(swizzles_are_read_by_calls_and_written_by_properties) {
  MetalSource source("a = v.xyz + p->wx; v.xy = b; v.zw += c; d = v.x;", "f");
  const std::string macro = simulator::rewrite_swizzles(source);
  BOOST_TEST(source.edits().render() ==
             "a = v.get_xyz() + p->get_wx(); v.xy = b; v.ref_zw() += c; "
             "d = v.x;");
  BOOST_TEST(contains(macro, "METAL_HOST_SWIZZLE(xyz, 3, 0, 1, 2)"));
  BOOST_TEST(contains(macro, "METAL_HOST_SWIZZLE(wx, 2, 3, 0)"));
}

BOOST_AUTO_TEST_CASE(a_members_own_name_is_no_swizzle) {
  MetalSource source("struct S { int ab; }; c = s.ab;", "f");
  simulator::rewrite_swizzles(source);
  BOOST_TEST(contains(source.edits().render(), "c = s.ab;"));
}

BOOST_AUTO_TEST_CASE(both_results_of_a_conditional_are_taken_by_value) {
  const std::string text = after(simulator::take_branches_by_value,
                                 "x = c ? a[i] : b; y = d ? 0 : p;");
  BOOST_TEST(contains(text, "? metal_host::by_value{} ->*  a[i]"));
  BOOST_TEST(contains(text, ": metal_host::by_value{} ->*  b"));
  BOOST_TEST(contains(text, "? 0 : metal_host::by_value{} ->*  p"));
  const std::string label = "switch (x) { case 1: f(); default: g(); }";
  BOOST_TEST(after(simulator::take_branches_by_value, label) == label);
}

BOOST_AUTO_TEST_CASE(threadgroup_variables_become_references) {
  MetalSource source(
      "kernel void f() { threadgroup float a[2][4], b;\n"
      "threadgroup float* p = a[0]; alignas(16) threadgroup vec<T, 2> c[N]; }",
      "k.metal");
  const auto variables = simulator::rewrite_threadgroup_variables(source);
  const std::string text = source.edits().render();
  BOOST_TEST_REQUIRE(variables.size() == 3U);
  BOOST_TEST(variables[0].name == "a");
  BOOST_TEST(variables[0].extent == "[2][4]");
  BOOST_TEST(variables[0].function == "f");
  BOOST_TEST(variables[1].site == 1);
  BOOST_TEST(variables[2].line == 2);
  BOOST_TEST(variables[2].type == "vec<T, 2>");
  BOOST_TEST(contains(text, "threadgroup float (&a)[2][4] = "));
  BOOST_TEST(contains(text, "sizeof(float[2][4])"));
  BOOST_TEST(contains(text, "threadgroup float &b = "));
  BOOST_TEST(contains(text, "threadgroup float* p = a[0];"));
  BOOST_TEST(contains(text, "(16), \"c\")"));
}

BOOST_AUTO_TEST_CASE(threadgroup_members_and_parameters_stay) {
  const std::string text =
      "struct S { threadgroup float* p; }; void f(threadgroup float* q);";
  MetalSource source(text, "f");
  BOOST_TEST(simulator::rewrite_threadgroup_variables(source).empty());
  BOOST_TEST(source.edits().render() == text);
}

BOOST_AUTO_TEST_CASE(function_constants_become_macros_with_values) {
  MetalSource source(
      "constant bool flag [[function_constant(2 + 1)]];\n"
      "constant bool use = is_function_constant_defined(flag) ? flag : true;",
      "k.metal");
  const simulator::IntegerConstants constants(source);
  const auto declared =
      simulator::rewrite_function_constants(source, constants);
  BOOST_TEST_REQUIRE(declared.size() == 1U);
  BOOST_TEST(declared[0].index == 3);
  BOOST_TEST(declared[0].type == "bool");
  BOOST_TEST(contains(source.edits().render(),
                      "METAL_HOST_FUNCTION_CONSTANT_3(bool, flag)"));
  BOOST_TEST(contains(source.edits().render(), "METAL_HOST_IS_DEFINED_3 ?"));
  const std::string with =
      simulator::define_function_constants(declared, {{3, true}});
  BOOST_TEST(contains(with, "static_cast<T>(true)"));
  BOOST_TEST(contains(with, "METAL_HOST_IS_DEFINED_3 true"));
  const std::string without =
      simulator::define_function_constants(declared, {});
  BOOST_TEST(contains(without, "extern constant const T NAME;"));
}

BOOST_AUTO_TEST_CASE(values_of_constants_keep_type_and_precision) {
  const std::vector<simulator::FunctionConstant> declared = {
      {"x", "float", 0, "f", 1}};
  const auto text = [&](const simulator::ConstantValue& value) {
    return simulator::define_function_constants(declared, {{0, value}});
  };
  BOOST_TEST(contains(text(2.0), "(2.0F)"));
  BOOST_TEST(contains(text(std::int64_t{-3}), "((-3L))"));
  BOOST_TEST(contains(text(std::uint64_t{5}), "(5UL)"));
}

BOOST_AUTO_TEST_CASE(what_is_not_supported_is_named_with_its_place) {
  BOOST_TEST(refusal("\nkernel void f(texture2d<float> t) {}") ==
             "k.metal:2: 'texture2d' is not supported: the simulator has no "
             "textures, only compute kernels on buffers.");
  BOOST_TEST(contains(refusal("vertex float4 f() {}"), "render stages"));
  BOOST_TEST(refusal("int vertex = 1; s.sampler(x);").empty());
}
