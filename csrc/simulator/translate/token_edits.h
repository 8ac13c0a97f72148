// SPDX-License-Identifier: MIT
// Changes to a token list, kept apart from the tokens so that independent
// rewriting rules compose, and the text that results. Line breaks of removed
// tokens stay: every remaining token keeps its line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/translate/token.h"

namespace flash_attn_mps::simulator {

class TokenEdits {
 public:
  explicit TokenEdits(const TokenizedText& source);

  void remove(std::size_t token) { replace(token, ""); }
  void remove_range(std::size_t begin, std::size_t end);
  void replace(std::size_t token, std::string_view text);
  void insert_before(std::size_t token, std::string_view text);
  void insert_after(std::size_t token, std::string_view text);

  bool is_replaced(std::size_t token) const {
    return edits_[token].is_replaced;
  }
  // Text of tokens [begin, end), without the spacing before the first.
  std::string text(std::size_t begin, std::size_t end) const;
  std::string render() const;

 private:
  struct Edit {
    bool is_replaced = false;
    std::string replacement;
    std::string before;
    std::string after;
  };

  void append(std::size_t token, std::string& result) const;

  const TokenizedText& source_;
  std::vector<Edit> edits_;
};

}  // namespace flash_attn_mps::simulator
