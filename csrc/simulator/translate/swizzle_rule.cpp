// SPDX-License-Identifier: MIT
// The rule about swizzles: see Note [Swizzles of the kernel] in swizzle.h.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/translate/language_rules.h"

namespace flash_attn_mps::simulator {
namespace {

// Places of the word's letters among the given four; empty if one is another.
std::vector<int> places_of(std::string_view word, std::string_view letters) {
  std::vector<int> places;
  for (const char c : word) {
    const std::size_t place = letters.find(c);
    if (place == letters.npos) {
      return {};
    }
    places.push_back(static_cast<int>(place));
  }
  return places;
}

// Of "zyx" or "bgr"; empty for any other word. Single elements are members of
// the vector.
std::vector<int> swizzle_indices(const Token& token) {
  if (!token.is_identifier() || token.text.size() < 2 ||
      token.text.size() > 4) {
    return {};
  }
  const std::vector<int> places = places_of(token.text, "xyzw");
  return places.empty() ? places_of(token.text, "rgba") : places;
}

bool is_member_access(const MetalSource& source, std::size_t i) {
  return i > 0 && (source.token(i - 1).is(".") || source.token(i - 1).is("->"));
}

bool is_compound_assignment(const MetalSource& source, std::size_t i) {
  static constexpr std::array<std::string_view, 9> kAssignments = {
      "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="};
  const bool is_right_shift =
      source.token(i).is(">") && source.token(i + 1).is(">=");
  return is_right_shift ||
         std::find(kAssignments.begin(),
                   kAssignments.end(),
                   source.token(i).text) != kAssignments.end();
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

// Swizzles that the text mentions, and words among them that it declares.
struct MentionedSwizzles {
  std::map<std::string, std::vector<int>> used;
  std::set<std::string_view> declared;
};

MentionedSwizzles find_swizzles(const MetalSource& source) {
  MentionedSwizzles found;
  for (std::size_t i = 0; i < source.text().tokens.size(); ++i) {
    const Token& token = source.token(i);
    const std::vector<int> indices = swizzle_indices(token);
    if (indices.empty()) {
      continue;
    }
    if (is_member_access(source, i)) {
      found.used.emplace(token.text, indices);
    } else {
      found.declared.insert(token.text);
    }
  }
  return found;
}

void rewrite_access(MetalSource& source, std::size_t i) {
  const Token& next = source.token(i + 1);
  if (!is_member_access(source, i) || next.is("=") || next.is("(")) {
    return;
  }
  const bool is_reference = is_compound_assignment(source, i + 1);
  source.edits().replace(i,
                         (is_reference ? "ref_" : "get_") +
                             std::string(source.token(i).text) + "()");
}

}  // namespace

std::string rewrite_swizzles(MetalSource& source) {
  const MentionedSwizzles found = find_swizzles(source);
  for (std::size_t i = 0; i + 2 < source.text().tokens.size(); ++i) {
    const Token& token = source.token(i);
    if (!swizzle_indices(token).empty() &&
        found.declared.count(token.text) == 0) {
      rewrite_access(source, i);
    }
  }
  std::string macro;
  for (const auto& [name, indices] : found.used) {
    macro += " " + macro_call(name, indices);
  }
  return macro;
}

}  // namespace flash_attn_mps::simulator
