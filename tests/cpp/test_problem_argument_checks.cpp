// SPDX-License-Identifier: MIT
// Every sentence of the argument checks, word by word, and the class that the
// union of several has.
#include <boost/test/unit_test.hpp>

#include "problem/argument_checks.h"

namespace flash_attn_mps {
namespace {

using Sizes = std::vector<int64_t>;

TensorArgument tensor(const Sizes& sizes) {
  return {.sizes = sizes, .element_type = "float32", .device = "cpu"};
}

AttentionArguments arguments(const Sizes& query,
                             const Sizes& key,
                             const Sizes& value) {
  AttentionArguments result;
  result.operator_name = "op";
  result.query = tensor(query);
  result.key = tensor(key);
  result.value = tensor(value);
  result.may_broadcast = true;
  return result;
}

AttentionArguments good_arguments() {
  return arguments({2, 4, 5, 8}, {2, 4, 7, 8}, {2, 4, 7, 6});
}

AttentionArguments good_backward_arguments() {
  AttentionArguments result = good_arguments();
  result.may_broadcast = false;
  result.backward = BackwardArguments{.grad_output = tensor({2, 4, 5, 6}),
                                      .output = tensor({2, 4, 5, 6}),
                                      .log_sum_exp = tensor({2, 4, 5})};
  return result;
}

std::string refused(const AttentionArguments& given) {
  return check_arguments(given, Platform::kSimulator).text();
}

ErrorClass refused_class(const AttentionArguments& given) {
  return check_arguments(given, Platform::kSimulator).error_class;
}

BOOST_AUTO_TEST_SUITE(argument_checks)

BOOST_AUTO_TEST_CASE(AcceptGoodArguments) {
  BOOST_TEST(refused(good_arguments()) == "");
  BOOST_TEST(refused(good_backward_arguments()) == "");
  BOOST_TEST((refused_class(good_arguments()) == ErrorClass::kNone));
  BOOST_TEST(refused(arguments({5, 8}, {7, 8}, {7, 256})) == "");
  BOOST_TEST(refused(arguments({1, 1, 64}, {2, 1, 1, 64}, {2, 1, 1, 64})) ==
             "");
  BOOST_TEST(refused(arguments({0, 4, 0, 8}, {0, 4, 0, 8}, {0, 4, 0, 0})) ==
             "");
}

BOOST_AUTO_TEST_CASE(RefuseRanksBelowTwo) {
  BOOST_TEST(refused(arguments({8}, {7, 8}, {7, 8})) ==
             "op: query, key and value must have rank >= 2, [..., length, "
             "head_dim]; got ranks 1, 2 and 2.");
}

BOOST_AUTO_TEST_CASE(RefuseMixedDtypesAndUnsupportedOnes) {
  AttentionArguments given = good_arguments();
  given.value.element_type = "float16";
  BOOST_TEST(refused(given) ==
             "op: query, key and value must have the same dtype; got float32, "
             "float32 and float16. Convert them to one dtype with "
             "tensor.to().");
  given.query.element_type = given.key.element_type = given.value.element_type =
      "float64";
  BOOST_TEST(refused(given) ==
             "op: the dtype of query, key and value must be float32, float16 "
             "or bfloat16; got float64. Convert them, for example with "
             "tensor.float().");
  BOOST_TEST((refused_class(given) == ErrorClass::kNotImplementedError));
}

BOOST_AUTO_TEST_CASE(RefuseDevicesOfOtherPlatforms) {
  AttentionArguments given = good_arguments();
  given.key.device = "cuda:0";
  BOOST_TEST(refused(given) ==
             "op: query, key and value must be on one device; got cpu, cuda:0 "
             "and cpu. Move them to one device with tensor.to().\n"
             "op: query, key and value must be on the CPU, where the simulated "
             "Apple GPU computes; got cuda:0. Move them with "
             "tensor.to(\"cpu\").");
  BOOST_TEST((refused_class(given) == ErrorClass::kRuntimeError));
  const Refusals on_mac = check_arguments(good_arguments(), Platform::kMetal);
  BOOST_TEST(on_mac.text() ==
             "op: query, key and value must be on an MPS device; got cpu. Move "
             "them with tensor.to(\"mps\").");
  BOOST_TEST((on_mac.error_class == ErrorClass::kNotImplementedError));
  given.query.device = given.key.device = given.value.device = "mps:0";
  BOOST_TEST(check_arguments(given, Platform::kMetal).text() == "");
}

BOOST_AUTO_TEST_CASE(RefuseMasksAndDropout) {
  AttentionArguments given = good_arguments();
  given.mask = tensor({5, 7});
  const std::string unsupported =
      "op: attn_mask must be None, explicit masks are not supported yet; got "
      "attn_mask of shape [5, 7]. For a causal mask pass is_causal=True.";
  BOOST_TEST(refused(given) == unsupported);
  BOOST_TEST((refused_class(given) == ErrorClass::kNotImplementedError));
  given.is_causal = true;
  BOOST_TEST(refused(given) ==
             "op: Explicit attn_mask should not be set when is_causal=True; "
             "got attn_mask of shape [5, 7] with is_causal=True. Pass one of "
             "them.\n" +
                 unsupported);
  BOOST_TEST((refused_class(given) == ErrorClass::kRuntimeError));
  given = good_arguments();
  given.dropout_probability = 0.5;
  BOOST_TEST(refused(given) ==
             "op: dropout_p must be 0, dropout is not supported yet; got 0.5.");
  given.dropout_probability = -1;
  BOOST_TEST(refused(given) == "op: dropout_p must be in [0, 1]; got -1.");
}

BOOST_AUTO_TEST_CASE(RefuseLeadingDimensionsThatDoNotBroadcast) {
  const AttentionArguments given =
      arguments({1, 4, 3, 8}, {1, 2, 3, 8}, {1, 2, 3, 8});
  BOOST_TEST(refused(given) ==
             "op: the dimensions in front of [length, head_dim] of query, key "
             "and value must broadcast; got shapes [1, 4, 3, 8], [1, 2, 3, 8] "
             "and [1, 2, 3, 8]. Pass enable_gqa=True for grouped heads.");
  BOOST_TEST(refused(arguments({1, 5, 3, 8}, {1, 2, 3, 8}, {1, 2, 3, 8})) ==
             "op: the dimensions in front of [length, head_dim] of query, key "
             "and value must broadcast; got shapes [1, 5, 3, 8], [1, 2, 3, 8] "
             "and [1, 2, 3, 8].");
}

BOOST_AUTO_TEST_CASE(OperatorsWantEqualLeadingDimensions) {
  AttentionArguments given = arguments({4, 3, 8}, {1, 3, 8}, {1, 3, 8});
  given.may_broadcast = false;
  BOOST_TEST(refused(given) ==
             "op: the dimensions in front of [length, head_dim] of query, key "
             "and value must be equal; got shapes [4, 3, 8], [1, 3, 8] and [1, "
             "3, 8]. flash_attn_mps.scaled_dot_product_attention broadcasts.");
}

BOOST_AUTO_TEST_CASE(RefuseGroupedHeadsThatDoNotDivide) {
  AttentionArguments given =
      arguments({1, 5, 3, 8}, {1, 2, 3, 8}, {1, 2, 3, 8});
  given.enable_gqa = true;
  BOOST_TEST(refused(given) ==
             "op: the number of query heads must be a multiple of the number "
             "of key and value heads; got 5 query heads and 2 key and value "
             "heads.");
  given.value = tensor({1, 1, 3, 8});
  BOOST_TEST(refused(given) ==
             "op: key and value must have the same number of heads with "
             "enable_gqa; got 2 and 1.");
  given = arguments({3, 8}, {3, 8}, {3, 8});
  given.enable_gqa = true;
  BOOST_TEST(refused(given) ==
             "op: with enable_gqa query, key and value must have rank >= 3, "
             "[..., heads, length, head_dim]; got shapes [3, 8], [3, 8] and "
             "[3, 8].");
  given = arguments({2, 0, 3, 8}, {2, 0, 3, 8}, {2, 0, 3, 8});
  given.enable_gqa = true;
  BOOST_TEST(refused(given) == "");
}

BOOST_AUTO_TEST_CASE(RefuseLengthsAndHeadDimsThatDiffer) {
  BOOST_TEST(refused(arguments({3, 8}, {5, 8}, {6, 8})) ==
             "op: key and value must have the same length; got 5 and 6.");
  BOOST_TEST(refused(arguments({3, 8}, {5, 16}, {5, 8})) ==
             "op: query and key must have the same head dimension; got 8 and "
             "16.");
}

BOOST_AUTO_TEST_CASE(RefuseHeadDimsOutOfRange) {
  const AttentionArguments wide = arguments({3, 257}, {5, 257}, {5, 300});
  BOOST_TEST(refused(wide) ==
             "op: the head dimension of query and key must be in [1, 256]; got "
             "257.\n"
             "op: the head dimension of value must be in [0, 256]; got 300.");
  BOOST_TEST((refused_class(wide) == ErrorClass::kNotImplementedError));
  BOOST_TEST(refused(arguments({3, 0}, {5, 0}, {5, 8})) ==
             "op: the head dimension of query and key must be in [1, 256]; got "
             "0.");
}

BOOST_AUTO_TEST_CASE(RefuseSavedTensorsOfAnotherCall) {
  AttentionArguments given = good_backward_arguments();
  given.backward->log_sum_exp.sizes = {2, 4, 6};
  given.backward->grad_output.element_type = "float16";
  BOOST_TEST(refused(given) ==
             "op: grad_output must be [2, 4, 5, 6] float32 on cpu, as query "
             "and value ask for; got [2, 4, 5, 6] float16 on cpu.\n"
             "op: log_sum_exp must be [2, 4, 5] float32 on cpu, as query and "
             "value ask for; got [2, 4, 6] float32 on cpu.");
}

BOOST_AUTO_TEST_CASE(OneRuntimeErrorMakesTheWholeOne) {
  AttentionArguments given = arguments({3, 300}, {5, 300}, {6, 8});
  BOOST_TEST(check_arguments(given, Platform::kSimulator).sentences.size() ==
             2U);
  BOOST_TEST((refused_class(given) == ErrorClass::kRuntimeError));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace flash_attn_mps
