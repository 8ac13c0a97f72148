// SPDX-License-Identifier: MIT
// Rules about single words: reserved names, literals, pragmas, and features
// that are refused.
#include "simulator/translate/language_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

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
constexpr std::array<Unsupported, 26> kUnsupportedWords = {{
    {"texture1d", "textures"},
    {"texture1d_array", "textures"},
    {"texture2d", "textures"},
    {"texture2d_array", "textures"},
    {"texture2d_ms", "textures"},
    {"texture3d", "textures"},
    {"texturecube", "textures"},
    {"texture_buffer", "textures"},
    {"depth2d", "textures"},
    {"depth2d_array", "textures"},
    {"depthcube", "textures"},
    {"sampler", "textures"},
    {"vertex", "render stages"},
    {"fragment", "render stages"},
    {"mesh", "render stages"},
    {"visible_function_table", "function tables"},
    {"intersection_function_table", "function tables"},
    {"instance_acceleration_structure", "ray tracing"},
    {"primitive_acceleration_structure", "ray tracing"},
    {"intersector", "ray tracing"},
    {"imageblock", "imageblocks"},
    {"command_buffer", "indirect command buffers"},
    {"compute_command", "indirect command buffers"},
    {"render_pipeline_state", "indirect command buffers"},
    {"cooperative_tensor", "cooperative tensors"},
    {"os_log", "logging"},
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

void rewrite_bfloat_literals(MetalSource& source) {
  for (std::size_t i = 0; i < source.text().tokens.size(); ++i) {
    const Token& token = source.token(i);
    const bool has_suffix =
        token.kind == TokenKind::kNumber && token.text.size() > 2 &&
        (token.text.ends_with("bf") || token.text.ends_with("BF")) &&
        !token.text.starts_with("0x") && !token.text.starts_with("0X");
    if (has_suffix) {
      const auto digits = token.text.substr(0, token.text.size() - 2);
      source.edits().replace(
          i,
          "static_cast<bfloat>(" + std::string(digits) +
              (digits.find_first_of(".eE") == std::string_view::npos ? ".0F)"
                                                                     : "F)"));
    }
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

void refuse_unsupported_features(const MetalSource& source) {
  for (std::size_t i = 0; i + 1 < source.text().tokens.size(); ++i) {
    const Token& token = source.token(i);
    if (!token.is_identifier() || source.is_in_attribute(i)) {
      continue;
    }
    const auto found = std::find_if(
        kUnsupportedWords.begin(),
        kUnsupportedWords.end(),
        [&](const Unsupported& each) { return token.is(each.word); });
    if (found != kUnsupportedWords.end() && is_used_as_type(source, i)) {
      source.refuse(i,
                    "'" + std::string(token.text) + "' is not supported: " +
                        "the simulator has no " + std::string(found->feature) +
                        ", only compute kernels on buffers.");
    }
  }
}

}  // namespace flash_attn_mps::simulator
