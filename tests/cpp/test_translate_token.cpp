// SPDX-License-Identifier: MIT
// The tokenizer: kinds, spacing and the places that line markers give.

#include <boost/test/unit_test.hpp>

#include "simulator/translate/token.h"

namespace simulator = flash_attn_mps::simulator;
using simulator::TokenKind;

namespace {

std::vector<std::string> texts(const simulator::TokenizedText& source) {
  std::vector<std::string> result;
  for (const auto& token : source.tokens) {
    result.emplace_back(token.text);
  }
  return result;
}

std::string joined(const simulator::TokenizedText& source) {
  std::string result;
  for (const auto& token : source.tokens) {
    result += std::string(token.spacing) + std::string(token.text);
  }
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(splits_punctuators_and_keeps_template_closers_single) {
  const auto source = simulator::tokenize("a<<=b; X<Y<1>>c->*d;", "f");
  const std::vector<std::string> expected = {"a",
                                             "<<=",
                                             "b",
                                             ";",
                                             "X",
                                             "<",
                                             "Y",
                                             "<",
                                             "1",
                                             ">",
                                             ">",
                                             "c",
                                             "->*",
                                             "d",
                                             ";",
                                             ""};
  BOOST_TEST(texts(source) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(numbers_hold_exponents_suffixes_and_separators) {
  const auto source =
      simulator::tokenize("1.5e-3f+.25h 0x1e+2 0x1p-4 1'000u", "f");
  const std::vector<std::string> expected = {
      "1.5e-3f", "+", ".25h", "0x1e", "+", "2", "0x1p-4", "1'000u", ""};
  BOOST_TEST(texts(source) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(comments_are_spacing_and_nothing_is_lost) {
  const std::string text =
      "// first\nint /* in\nside */ a; // last\n\"a // b\" '\\''\n";
  const auto source = simulator::tokenize(text, "f");
  BOOST_TEST(joined(source) == text);
  BOOST_TEST(source.tokens[1].is("a"));
  BOOST_TEST(source.tokens[1].line == 3);
  BOOST_TEST(source.tokens[1].column == 9);
  BOOST_TEST((source.tokens[3].kind == TokenKind::kString));
  BOOST_TEST((source.tokens[4].kind == TokenKind::kCharacter));
}

BOOST_AUTO_TEST_CASE(line_markers_of_both_forms_name_the_authors_file) {
  const auto source = simulator::tokenize(
      "a\n# 7 \"dir/b.h\" 1\nb\n\n#line 40 \"c.metal\"\nc\n", "main");
  BOOST_TEST(simulator::place_of(source, source.tokens[0]) == "main:1");
  BOOST_TEST(simulator::place_of(source, source.tokens[2]) == "dir/b.h:7");
  BOOST_TEST(simulator::place_of(source, source.tokens[4]) == "c.metal:40");
}

BOOST_AUTO_TEST_CASE(a_directive_is_one_token_with_its_continuation) {
  const auto source =
      simulator::tokenize("#pragma clang loop \\\n unroll(full)\nx # y", "f");
  BOOST_TEST((source.tokens[0].kind == TokenKind::kDirective));
  BOOST_TEST(source.tokens[1].is("x"));
  BOOST_TEST(source.tokens[1].line == 3);
  BOOST_TEST((source.tokens[2].kind == TokenKind::kPunctuator));
}

BOOST_AUTO_TEST_CASE(string_literals_lose_quotes_and_escapes) {
  BOOST_TEST(simulator::string_literal_value(R"("a\"b\\c")") == R"(a"b\c)");
}

BOOST_AUTO_TEST_CASE(unterminated_text_ends_in_an_end_token) {
  BOOST_TEST(texts(simulator::tokenize("\"abc", "f")).size() == 2U);
  BOOST_TEST(texts(simulator::tokenize("/* abc", "f")).size() == 1U);
  BOOST_TEST(texts(simulator::tokenize("", "f")).size() == 1U);
}
