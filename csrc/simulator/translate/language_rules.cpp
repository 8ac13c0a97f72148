// SPDX-License-Identifier: MIT
// Rules about single words: reserved names, literals, pragmas, and features
// that are refused.
#include "simulator/translate/language_rules.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {
namespace {

constexpr std::array<std::string_view, 8> kReservedWords = {"local",
                                                            "global",
                                                            "generic",
                                                            "pipe",
                                                            "read_only",
                                                            "write_only",
                                                            "read_write",
                                                            "vec_step"};

struct Unsupported {
  std::string_view word;
  std::string_view feature;
};

// Types and function qualifiers of what is not a compute kernel on buffers.
constexpr std::array<Unsupported, 32> kUnsupportedWords = {{
    {"texture1d", "textures"},
    {"texture1d_array", "textures"},
    {"texture2d", "textures"},
    {"texture2d_array", "textures"},
    {"texture2d_ms", "textures"},
    {"texture2d_ms_array", "textures"},
    {"texture3d", "textures"},
    {"texturecube", "textures"},
    {"texturecube_array", "textures"},
    {"texture_buffer", "textures"},
    {"depth2d", "textures"},
    {"depth2d_array", "textures"},
    {"depth2d_ms", "textures"},
    {"depth2d_ms_array", "textures"},
    {"depthcube", "textures"},
    {"depthcube_array", "textures"},
    {"sampler", "textures"},
    {"vertex", "render stages"},
    {"fragment", "render stages"},
    {"mesh", "render stages"},
    {"mesh_grid_properties", "render stages"},
    {"visible_function_table", "function tables"},
    {"intersection_function_table", "function tables"},
    {"instance_acceleration_structure", "ray tracing"},
    {"primitive_acceleration_structure", "ray tracing"},
    {"intersector", "ray tracing"},
    {"intersection_query", "ray tracing"},
    {"imageblock", "imageblocks"},
    {"command_buffer", "indirect command buffers"},
    {"compute_command", "indirect command buffers"},
    {"render_pipeline_state", "indirect command buffers"},
    {"cooperative_tensor", "cooperative tensors"},
}};

// As a type (`texture2d<float> t`, `sampler s`) or qualifier (`vertex float4
// f(`), not as the name of a variable, member or function.
bool is_used_as_type(const MetalSource& source, std::size_t i) {
  if (i > 0 && (source.token(i - 1).is(".") || source.token(i - 1).is("->"))) {
    return false;
  }
  const Token& next = source.token(i + 1);
  return next.is_identifier() || next.is("<");
}

// `[[vertex]]` and `[[fragment]]`, not `[[sampler(0)]]`.
bool is_stage_attribute(const MetalSource& source, std::size_t i) {
  const Token& token = source.token(i);
  return (token.is("vertex") || token.is("fragment") || token.is("mesh")) &&
         source.token(i - 1).is("[");
}

bool is_hexadecimal(std::string_view number) {
  return number.starts_with("0x") || number.starts_with("0X");
}

bool is_bfloat_literal(std::string_view number) {
  return !is_hexadecimal(number) && number.size() > 2 &&
         (number.ends_with("bf") || number.ends_with("BF"));
}

bool lacks_floating_suffix(std::string_view number) {
  const bool is_floating = is_hexadecimal(number)
                               ? number.find_first_of("pP") != number.npos
                               : number.find_first_of(".eE") != number.npos;
  const char last = number.back();
  return is_floating && (last == '.' || (last >= '0' && last <= '9'));
}

std::size_t end_of_statement(const MetalSource& source, std::size_t i) {
  while (!source.token(i).is(";") && source.token(i).kind != TokenKind::kEnd) {
    ++i;
  }
  return i;
}

// A `static const constant` data member must stay const to be initialised.
bool is_static_member(const MetalSource& source, std::size_t i) {
  const int scope = source.structure().scope_of_token[i];
  if (source.scope(scope).kind != ScopeKind::kType) {
    return false;
  }
  while (i > 0 && !source.token(i).is(";") && !source.token(i).is("{") &&
         !source.token(i).is("}") && !source.token(i).is("(")) {
    if (source.token(i).is("static")) {
      return true;
    }
    --i;
  }
  return false;
}

void remove_words(MetalSource& source,
                  TokenRange range,
                  std::initializer_list<std::string_view> words) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (std::find(words.begin(), words.end(), source.token(i).text) !=
        words.end()) {
      source.edits().remove(i);
    }
  }
}

// `(*f)(` becomes `(&f)(`.
void refer_to_functions(MetalSource& source, TokenRange range) {
  for (std::size_t i = range.begin; i + 2 < range.end; ++i) {
    if (source.token(i).is("(") && source.token(i + 1).is("*") &&
        source.partner(i) != kNoToken &&
        source.token(source.partner(i) + 1).is("(")) {
      source.edits().replace(i + 1, "&");
    }
  }
}

// A literal may be a null pointer constant, which only a literal can be.
bool is_value_expression(const Token& first) {
  return (first.is_identifier() && !first.is("nullptr") && !first.is("true") &&
          !first.is("false")) ||
         first.is("(") || first.is("*") || first.is("-");
}

}  // namespace

void rename_reserved_words(MetalSource& source) {
  for (std::size_t i = 0; i < source.text().tokens.size(); ++i) {
    const Token& token = source.token(i);
    const bool is_reserved =
        token.is_identifier() &&
        std::find(kReservedWords.begin(), kReservedWords.end(), token.text) !=
            kReservedWords.end();
    if (is_reserved && !source.is_in_attribute(i)) {
      source.edits().replace(i, std::string(token.text) + "_in_metal");
    }
  }
}

void remove_coherence(MetalSource& source) {
  for (std::size_t i = 1; i + 1 < source.text().tokens.size(); ++i) {
    if (!source.token(i).is("coherent") || source.is_in_attribute(i)) {
      continue;
    }
    const bool has_scope =
        source.token(i + 1).is("(") && (source.token(i + 2).is("device") ||
                                        source.token(i + 2).is("threadgroup"));
    if (has_scope) {
      source.edits().remove_range(i, source.after_group(i + 1));
    } else if (source.token(i - 1).is("device") ||
               source.token(i + 1).is("device")) {
      source.edits().remove(i);
    }
  }
}

void rewrite_floating_literals(MetalSource& source) {
  for (std::size_t i = 0; i < source.text().tokens.size(); ++i) {
    const Token& token = source.token(i);
    if (token.kind != TokenKind::kNumber) {
      continue;
    }
    if (is_bfloat_literal(token.text)) {
      const std::string digits(token.text.substr(0, token.text.size() - 2));
      const bool is_integer = digits.find_first_of(".eE") == digits.npos;
      source.edits().replace(
          i, "static_cast<bfloat>(" + digits + (is_integer ? ".0F)" : "F)"));
    } else if (lacks_floating_suffix(token.text)) {
      source.edits().replace(i, std::string(token.text) + "F");
    }
  }
}

void pass_functions_by_reference(MetalSource& source) {
  for (std::size_t i = 0; i + 1 < source.text().tokens.size(); ++i) {
    if (source.token(i).is("template") && source.token(i + 1).is("<")) {
      refer_to_functions(source, {i + 1, source.after_group(i + 1)});
    } else if (source.token(i).is("using")) {
      refer_to_functions(source, {i + 1, end_of_statement(source, i)});
    }
  }
}

void drop_const_beside_constant(MetalSource& source) {
  for (std::size_t i = 1; i + 1 < source.text().tokens.size(); ++i) {
    if (!source.token(i).is("constant") || source.is_in_attribute(i) ||
        is_static_member(source, i)) {
      continue;
    }
    remove_words(source, {i - 1, i + 2}, {"const"});
  }
}

void relax_constant_variables(MetalSource& source) {
  for (const Statement& statement : source.structure().statements) {
    const ScopeKind around = source.scope(statement.scope).kind;
    const bool is_outside =
        around == ScopeKind::kFile || around == ScopeKind::kNamespace;
    const TokenRange range{statement.begin, statement.end};
    if (!is_outside || !source.contains(range, "constant") ||
        source.token(statement.begin).is("template")) {
      continue;
    }
    const TokenRange declarator{range.begin,
                                std::min(source.find(range, "="), range.end)};
    if (source.contains(declarator, "(")) {
      continue;
    }
    remove_words(source, declarator, {"const", "constexpr"});
  }
}

void rewrite_unroll_pragmas(MetalSource& source) {
  for (std::size_t i = 0; i < source.text().tokens.size(); ++i) {
    const Token& token = source.token(i);
    if (token.kind != TokenKind::kDirective) {
      continue;
    }
    const std::size_t unroll = token.text.find("unroll");
    const bool is_plain_unroll = token.text.starts_with("#pragma") &&
                                 unroll != token.text.npos &&
                                 token.text.find("clang") == token.text.npos;
    if (is_plain_unroll) {
      source.edits().replace(i, "#pragma unroll");
    }
  }
}

void take_branches_by_value(MetalSource& source) {
  // Binds tighter than any operator that a result may hold but postfix ones.
  static constexpr std::string_view kByValue = " metal_host::by_value{} ->* ";
  std::vector<std::size_t> open;  // '?' of each enclosing bracket level
  for (std::size_t i = 0; i + 1 < source.text().tokens.size(); ++i) {
    const Token& token = source.token(i);
    const bool is_branch =
        token.is("?") || (token.is(":") && !open.empty() &&
                          source.structure().scope_of_token[i] ==
                              source.structure().scope_of_token[open.back()]);
    if (!is_branch) {
      continue;
    }
    if (token.is("?")) {
      open.push_back(i);
    } else {
      open.pop_back();
    }
    if (is_value_expression(source.token(i + 1))) {
      source.edits().insert_after(i, kByValue);
    }
  }
}

std::optional<std::string> unsupported_feature(const MetalSource& source,
                                               std::size_t i) {
  const Token& token = source.token(i);
  const auto found = std::find_if(
      kUnsupportedWords.begin(),
      kUnsupportedWords.end(),
      [&](const Unsupported& each) { return token.is(each.word); });
  const bool is_meant =
      found != kUnsupportedWords.end() &&
      (source.is_in_attribute(i) ? is_stage_attribute(source, i)
                                 : is_used_as_type(source, i));
  if (!is_meant) {
    return std::nullopt;
  }
  return source.place(i) + ": '" + std::string(token.text) +
         "' is not supported: the simulator has no " +
         std::string(found->feature) + ", only compute kernels on buffers.";
}

void refuse_unsupported_features(const MetalSource& source) {
  for (std::size_t i = 0; i + 1 < source.text().tokens.size(); ++i) {
    if (const auto sentence = unsupported_feature(source, i)) {
      throw CompileError(*sentence);
    }
  }
}

}  // namespace flash_attn_mps::simulator
