// SPDX-License-Identifier: MIT
// Records and renders edits of a token list.
#include "simulator/translate/token_edits.h"

namespace flash_attn_mps::simulator {

TokenEdits::TokenEdits(const TokenizedText& source)
    : source_(source), edits_(source.tokens.size()) {}

void TokenEdits::replace(std::size_t token, std::string_view text) {
  edits_[token].is_replaced = true;
  edits_[token].replacement = text;
}

void TokenEdits::remove_range(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (source_.tokens[i].kind != TokenKind::kDirective) {
      remove(i);
    }
  }
}

void TokenEdits::insert_before(std::size_t token, std::string_view text) {
  edits_[token].before += text;
}

void TokenEdits::insert_after(std::size_t token, std::string_view text) {
  edits_[token].after += text;
}

void TokenEdits::append(std::size_t token, std::string& result) const {
  const Edit& edit = edits_[token];
  result += edit.before;
  result += edit.is_replaced ? std::string_view(edit.replacement)
                             : source_.tokens[token].text;
  result += edit.after;
}

std::string TokenEdits::text(std::size_t begin, std::size_t end) const {
  std::string result;
  for (std::size_t i = begin; i < end; ++i) {
    if (source_.tokens[i].kind == TokenKind::kDirective) {
      continue;
    }
    if (!result.empty() && !source_.tokens[i].spacing.empty()) {
      result += ' ';
    }
    append(i, result);
  }
  return result;
}

std::string TokenEdits::render() const {
  std::string result;
  result.reserve(source_.text->size() + source_.text->size() / 8);
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    result += source_.tokens[i].spacing;
    append(i, result);
  }
  return result;
}

}  // namespace flash_attn_mps::simulator
