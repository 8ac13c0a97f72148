// SPDX-License-Identifier: MIT
// The rule about swizzles: see Note [Swizzles of the kernel] in swizzle.h.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/translate/language_rules.h"

namespace flash_attn_mps::simulator {
namespace {

// Indices of "zyx" or "bgr"; nothing for any other word. Single elements are
// members of the vector.
std::optional<std::vector<int>> swizzle_indices(std::string_view word) {
  for (const std::string_view letters : {"xyzw", "rgba"}) {
    std::vector<int> indices;
    for (const char c : word) {
      const std::size_t index = letters.find(c);
      if (index != letters.npos) {
        indices.push_back(static_cast<int>(index));
      }
    }
    if (word.size() >= 2 && word.size() <= 4 && indices.size() == word.size()) {
      return indices;
    }
  }
  return std::nullopt;
}

bool is_member_access(const MetalSource& source, std::size_t i) {
  return i > 0 && (source.token(i - 1).is(".") || source.token(i - 1).is("->"));
}

bool is_compound_assignment(const MetalSource& source, std::size_t i) {
  static const std::set<std::string_view> kAssignments = {
      "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="};
  const bool is_right_shift =
      source.token(i).is(">") && source.token(i + 1).is(">=");
  return is_right_shift || kAssignments.count(source.token(i).text) != 0;
}

std::string macro_call(const std::string& name,
                       const std::vector<int>& indices) {
  std::string list;
  for (const int index : indices) {
    list += ", " + std::to_string(index);
  }
  return "METAL_HOST_SWIZZLE(" + name + ", " + std::to_string(indices.size()) +
         list + ")";
}

}  // namespace

std::string rewrite_swizzles(MetalSource& source) {
  std::map<std::string, std::vector<int>> used;
  std::set<std::string_view> declared;  // names that are not only members
  const std::size_t count = source.text().tokens.size();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Token& token = source.token(i);
    if (!token.is_identifier() || token.text.size() > 4) {
      continue;
    }
    const auto indices = swizzle_indices(token.text);
    if (!indices) {
      continue;
    }
    if (is_member_access(source, i)) {
      used.emplace(token.text, *indices);
    } else {
      declared.insert(token.text);
    }
  }
  for (std::size_t i = 0; i + 2 < count; ++i) {
    const Token& token = source.token(i);
    const std::string name(token.text);
    const bool is_swizzle = token.is_identifier() && used.count(name) != 0 &&
                            declared.count(token.text) == 0 &&
                            is_member_access(source, i);
    if (!is_swizzle || source.token(i + 1).is("=") ||
        source.token(i + 1).is("(")) {
      continue;
    }
    const bool is_reference = is_compound_assignment(source, i + 1);
    source.edits().replace(i, (is_reference ? "ref_" : "get_") + name + "()");
  }
  std::string macro;
  for (const auto& [name, indices] : used) {
    macro += " " + macro_call(name, indices);
  }
  return macro;
}

}  // namespace flash_attn_mps::simulator
