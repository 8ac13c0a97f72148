// SPDX-License-Identifier: MIT
// Splits Metal text, preprocessed or not, into tokens that know their place in
// the file the author wrote. It gives no meaning to any token.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace flash_attn_mps::simulator {

enum class TokenKind {
  kIdentifier,
  kNumber,
  kString,
  kCharacter,
  kPunctuator,
  kDirective,  // a whole line that begins with '#', continuation lines included
  kEnd,        // one, last; its spacing is what follows the last token
};

// `text` and `spacing` point into TokenizedText::text. A '>' is always a token
// of its own (">=" apart), so that closing template lists need no splitting.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::string_view spacing;  // blanks, newlines and comments before the token
  int file = 0;              // index into TokenizedText::files
  int line = 1;
  int column = 1;

  bool is(std::string_view other) const { return text == other; }
  bool is_identifier() const { return kind == TokenKind::kIdentifier; }
};

// Line markers (`# 12 "name"` and `#line 12 "name"`) set file and line of what
// follows; they stay in the list as kDirective.
struct TokenizedText {
  std::unique_ptr<const std::string> text;
  std::vector<std::string> files;
  std::vector<Token> tokens;  // never empty: the last is kEnd

  const std::string& file_of(const Token& token) const {
    return files[static_cast<std::size_t>(token.file)];
  }
};

TokenizedText tokenize(std::string text, const std::string& file_name);

// "file:line", as every message about a token begins.
std::string place_of(const TokenizedText& source, const Token& token);

// The characters of an ordinary string literal, escapes resolved.
std::string string_literal_value(std::string_view literal);

}  // namespace flash_attn_mps::simulator
