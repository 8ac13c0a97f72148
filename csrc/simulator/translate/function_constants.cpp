// SPDX-License-Identifier: MIT
// Finds, rewrites and defines function constants.
#include "simulator/translate/function_constants.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <type_traits>

namespace flash_attn_mps::simulator {
namespace {

std::string macro_of(int index) {
  return "METAL_HOST_FUNCTION_CONSTANT_" + std::to_string(index);
}

std::string defined_macro_of(int index) {
  return "METAL_HOST_IS_DEFINED_" + std::to_string(index);
}

std::optional<Attribute> constant_attribute(const MetalSource& source,
                                            TokenRange range) {
  for (const Attribute& attribute : source.attributes_in(range)) {
    if (attribute.name == "function_constant") {
      return attribute;
    }
  }
  return std::nullopt;
}

std::size_t name_before_attribute(const MetalSource& source, TokenRange range) {
  std::size_t name = range.begin;
  for (std::size_t i = range.begin; i < range.end && !source.is_in_attribute(i);
       ++i) {
    if (source.token(i).is_identifier()) {
      name = i;
    }
  }
  return name;
}

bool is_part_of_type(const Token& token) {
  return token.kind != TokenKind::kDirective && !token.is("constant") &&
         !token.is("const") && !token.is("constexpr") && !token.is("static");
}

FunctionConstant rewrite_declaration(MetalSource& source,
                                     const IntegerConstants& constants,
                                     const Attribute& attribute,
                                     const Statement& statement) {
  const TokenRange range{statement.begin, statement.end};
  const std::size_t name = name_before_attribute(source, range);
  const auto index = constants.evaluate(attribute.arguments);
  if (!index) {
    source.refuse(statement.begin,
                  "the index in [[function_constant(...)]] is no integer "
                  "constant.");
  }
  FunctionConstant constant;
  constant.name = source.token(name).text;
  constant.index = static_cast<int>(*index);
  constant.file = source.file_of(name);
  constant.line = source.token(name).line;
  for (std::size_t i = range.begin; i < name; ++i) {
    if (is_part_of_type(source.token(i))) {
      constant.type += std::string(source.token(i).text) + " ";
    }
  }
  constant.type.resize(constant.type.empty() ? 0 : constant.type.size() - 1);
  source.edits().remove_range(range.begin, range.end + 1);
  source.edits().insert_before(range.begin,
                               macro_of(constant.index) + "(" + constant.type +
                                   ", " + constant.name + ")");
  return constant;
}

// The `metal::` before a name that becomes a literal.
void remove_qualifier(MetalSource& source, std::size_t name) {
  if (name >= 2 && source.token(name - 1).is("::") &&
      source.token(name - 2).is("metal")) {
    source.edits().remove_range(name - 2, name);
  }
}

// `is_function_constant_defined(x)` becomes a literal.
void rewrite_query(MetalSource& source,
                   const std::vector<FunctionConstant>& declared,
                   std::size_t query) {
  const std::size_t open = query + 1;
  const std::size_t close = source.partner(open);
  if (close == kNoToken || close != open + 2) {
    return;
  }
  const std::string_view name = source.token(open + 1).text;
  const auto found = std::find_if(
      declared.begin(), declared.end(), [&](const FunctionConstant& each) {
        return each.name == name;
      });
  if (found == declared.end()) {
    source.refuse(
        query,
        "'" + std::string(name) + "' is no function constant of this text.");
  }
  source.edits().remove_range(query, close + 1);
  source.edits().insert_before(query, defined_macro_of(found->index));
}

std::string literal(const ConstantValue& value) {
  return std::visit(
      [](auto number) -> std::string {
        using Number = decltype(number);
        if constexpr (std::is_same_v<Number, bool>) {
          return number ? "true" : "false";
        } else if constexpr (std::is_same_v<Number, double>) {
          std::array<char, 64> text{};
          std::snprintf(text.data(), text.size(), "%.17gF", number);
          std::string result = text.data();
          const bool has_point =
              result.find_first_of(".en") != std::string::npos;
          return has_point ? result : result.insert(result.size() - 1, ".0");
        } else if constexpr (std::is_same_v<Number, std::int64_t>) {
          return "(" + std::to_string(number) + "L)";
        } else {
          return std::to_string(number) + "UL";
        }
      },
      value);
}

}  // namespace

std::vector<FunctionConstant> rewrite_function_constants(
    MetalSource& source,
    const IntegerConstants& constants) {
  std::vector<FunctionConstant> declared;
  for (const Statement& statement : source.structure().statements) {
    const ScopeKind around = source.scope(statement.scope).kind;
    const bool is_outside =
        around == ScopeKind::kFile || around == ScopeKind::kNamespace;
    const TokenRange range{statement.begin, statement.end};
    if (statement.body >= 0 || !is_outside ||
        !source.contains(range, "constant") || source.contains(range, "(")) {
      continue;
    }
    if (const auto attribute = constant_attribute(source, range)) {
      declared.push_back(
          rewrite_declaration(source, constants, *attribute, statement));
    }
  }
  for (std::size_t i = 0; i + 1 < source.text().tokens.size(); ++i) {
    if (source.token(i).is("is_function_constant_defined") &&
        source.token(i + 1).is("(")) {
      remove_qualifier(source, i);
      rewrite_query(source, declared, i);
    }
  }
  return declared;
}

std::string define_function_constants(
    const std::vector<FunctionConstant>& declared,
    const std::map<int, ConstantValue>& values) {
  std::string text;
  for (const FunctionConstant& constant : declared) {
    const auto value = values.find(constant.index);
    const bool is_defined = value != values.end();
    const std::string macro = macro_of(constant.index);
    text += "#undef " + macro + "\n#define " + macro + "(T, NAME) " +
            (is_defined ? "constant const T NAME = static_cast<T>(" +
                              literal(value->second) + ");"
                        : std::string("extern constant const T NAME;")) +
            "\n";
    const std::string query = defined_macro_of(constant.index);
    text += "#undef " + query + "\n#define " + query +
            (is_defined ? " true\n" : " false\n");
  }
  return text;
}

}  // namespace flash_attn_mps::simulator
