// SPDX-License-Identifier: MIT
// The tokenizer. It accepts anything: what is no token of C++ becomes a
// one-character punctuator, and the compiler names it later.
#include "simulator/translate/token.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::array<std::string_view, 24> kPunctuators = {
    "...", "->*", "<<=", "::", "->", "&&", "||", "==", "!=", "<=", ">=", "+=",
    "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "++", "--", "<<", "##", ".*"};

bool is_identifier_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '$';
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_identifier_part(char c) {
  return is_identifier_start(c) || is_digit(c);
}

bool is_exponent(char c) {
  return c == 'e' || c == 'E' || c == 'p' || c == 'P';
}

class Tokenizer {
 public:
  Tokenizer(std::string_view text, const std::string& file_name)
      : text_(text), files_{file_name} {}

  void run() {
    do {
      tokens_.push_back(next_token());
    } while (tokens_.back().kind != TokenKind::kEnd);
  }

  std::vector<std::string> take_files() { return std::move(files_); }
  std::vector<Token> take_tokens() { return std::move(tokens_); }

 private:
  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }

  void advance(std::size_t count) {
    for (; count > 0 && position_ < text_.size(); --count, ++position_) {
      if (text_[position_] == '\n') {
        ++line_;
        line_begin_ = position_ + 1;
      }
    }
  }

  void skip_line_comment() {
    const std::size_t end = text_.find('\n', position_);
    advance(std::min(end, text_.size()) - position_);
  }

  void skip_block_comment() {
    const std::size_t end = text_.find("*/", position_ + 2);
    advance(std::min(end == text_.npos ? end : end + 2, text_.size()) -
            position_);
  }

  void skip_spacing() {
    for (;;) {
      const char c = peek();
      if (c == '/' && peek(1) == '/') {
        skip_line_comment();
      } else if (c == '/' && peek(1) == '*') {
        skip_block_comment();
      } else if (c == '\\' && peek(1) == '\n') {
        advance(2);
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        advance(1);
      } else {
        return;
      }
    }
  }

  bool at_line_start() const {
    const auto before = text_.substr(line_begin_, position_ - line_begin_);
    return before.find_first_not_of(" \t") == before.npos;
  }

  std::size_t directive_length() const {
    std::size_t end = position_;
    while (end < text_.size() && text_[end] != '\n') {
      const bool continues = text_[end] == '\\' && end + 1 < text_.size() &&
                             text_[end + 1] == '\n';
      end += continues ? 2 : 1;
    }
    return end - position_;
  }

  std::size_t number_length() const {
    std::size_t end = position_ + 1;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool signed_exponent = (c == '+' || c == '-') &&
                                   is_exponent(text_[end - 1]) &&
                                   !is_hexadecimal_digits(end);
      if (!is_identifier_part(c) && c != '.' && c != '\'' && !signed_exponent) {
        break;
      }
      ++end;
    }
    return end - position_;
  }

  // In 0x1e+2 the 'e' is a digit, in 0x1p+2 the 'p' is not.
  bool is_hexadecimal_digits(std::size_t end) const {
    return text_.substr(position_, 2) == "0x" && text_[end - 1] != 'p' &&
           text_[end - 1] != 'P';
  }

  std::size_t identifier_length() const {
    std::size_t end = position_;
    while (end < text_.size() && is_identifier_part(text_[end])) {
      ++end;
    }
    return end - position_;
  }

  std::size_t quoted_length() const {
    const char quote = text_[position_];
    std::size_t end = position_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text_.size()) - position_;
  }

  std::size_t punctuator_length() const {
    for (const std::string_view punctuator : kPunctuators) {
      if (text_.substr(position_, punctuator.size()) == punctuator) {
        return punctuator.size();
      }
    }
    return 1;
  }

  std::pair<TokenKind, std::size_t> measure() const {
    const char c = peek();
    if (position_ >= text_.size()) {
      return {TokenKind::kEnd, 0};
    }
    if (c == '#' && at_line_start()) {
      return {TokenKind::kDirective, directive_length()};
    }
    if (is_identifier_start(c)) {
      return {TokenKind::kIdentifier, identifier_length()};
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      return {TokenKind::kNumber, number_length()};
    }
    if (c == '"' || c == '\'') {
      return {c == '"' ? TokenKind::kString : TokenKind::kCharacter,
              quoted_length()};
    }
    return {TokenKind::kPunctuator, punctuator_length()};
  }

  Token next_token() {
    const std::size_t spacing_begin = position_;
    skip_spacing();
    const auto [kind, length] = measure();
    Token token;
    token.kind = kind;
    token.spacing = text_.substr(spacing_begin, position_ - spacing_begin);
    token.text = text_.substr(position_, length);
    token.file = file_;
    token.line = line_;
    token.column = static_cast<int>(position_ - line_begin_) + 1;
    advance(length);
    if (kind == TokenKind::kDirective) {
      follow_line_marker(token.text);
    }
    return token;
  }

  // `# 12 "name" ...` or `#line 12 "name"`: the next line is line 12 of name.
  void follow_line_marker(std::string_view directive) {
    std::size_t at = directive.find_first_not_of("# \t");
    if (at == directive.npos) {
      return;
    }
    if (directive.substr(at, 4) == "line") {
      at = directive.find_first_not_of(" \t", at + 4);
    }
    if (at == directive.npos || !is_digit(directive[at])) {
      return;
    }
    int line = 0;
    std::from_chars(
        directive.data() + at, directive.data() + directive.size(), line);
    line_ = line - 1;
    const std::size_t open = directive.find('"', at);
    const std::size_t close = directive.find('"', open + 1);
    if (open != directive.npos && close != directive.npos) {
      enter_file(
          string_literal_value(directive.substr(open, close - open + 1)));
    }
  }

  void enter_file(const std::string& name) {
    const auto found = std::find(files_.begin(), files_.end(), name);
    file_ = static_cast<int>(found - files_.begin());
    if (found == files_.end()) {
      files_.push_back(name);
    }
  }

  std::string_view text_;
  std::vector<std::string> files_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
  int file_ = 0;
};

}  // namespace

TokenizedText tokenize(std::string text, const std::string& file_name) {
  TokenizedText result;
  result.text = std::make_unique<const std::string>(std::move(text));
  Tokenizer tokenizer(*result.text, file_name);
  tokenizer.run();
  result.files = tokenizer.take_files();
  result.tokens = tokenizer.take_tokens();
  return result;
}

std::string place_of(const TokenizedText& source, const Token& token) {
  return source.file_of(token) + ":" + std::to_string(token.line);
}

std::string string_literal_value(std::string_view literal) {
  std::string value;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] == '\\' && i + 2 < literal.size()) {
      ++i;
    }
    value.push_back(literal[i]);
  }
  return value;
}

}  // namespace flash_attn_mps::simulator
