// SPDX-License-Identifier: MIT
// One pass that matches brackets, then one that classifies every '{' by the
// statement before it.
#include "simulator/translate/token_structure.h"

#include <array>
#include <optional>
#include <string_view>

namespace flash_attn_mps::simulator {
namespace {

using Tokens = std::vector<Token>;

bool is_open(const Token& token) {
  return token.is("(") || token.is("[") || token.is("{");
}

bool is_close(const Token& token) {
  return token.is(")") || token.is("]") || token.is("}");
}

std::string_view closer_of(const Token& open) {
  if (open.is("(")) {
    return ")";
  }
  return open.is("[") ? "]" : "}";
}

// A closer without its opener is left alone; the compiler will name it.
std::vector<std::size_t> match_brackets(const Tokens& tokens) {
  std::vector<std::size_t> partner(tokens.size(), kNoToken);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kPunctuator) {
      continue;
    }
    if (is_open(tokens[i])) {
      open.push_back(i);
    } else if (is_close(tokens[i]) && !open.empty() &&
               tokens[i].is(closer_of(tokens[open.back()]))) {
      partner[i] = open.back();
      partner[open.back()] = i;
      open.pop_back();
    }
  }
  return partner;
}

bool is_type_keyword(const Token& token) {
  return token.is("struct") || token.is("class") || token.is("union") ||
         token.is("enum");
}

bool is_decoration(const Token& token) {
  static constexpr std::array<std::string_view, 7> kWords = {"alignas",
                                                             "__attribute__",
                                                             "typedef",
                                                             "static",
                                                             "inline",
                                                             "const",
                                                             "constexpr"};
  for (const std::string_view word : kWords) {
    if (token.is(word)) {
      return true;
    }
  }
  return false;
}

// Reads the statement before a '{'.
class Header {
 public:
  Header(const TokenizedText& source,
         const TokenStructure& structure,
         std::size_t begin,
         std::size_t end)
      : source_(source), structure_(structure), at_(begin), end_(end) {}

  Scope classify(bool in_function) {
    Scope scope;
    skip_decorations();
    if (at_ < end_ && token().is("namespace")) {
      scope.kind = ScopeKind::kNamespace;
      scope.name = text(at_ + 1, end_);
    } else if (const auto name = type_name()) {
      scope.kind = ScopeKind::kType;
      scope.name = *name;
    } else if (in_function) {
      scope.kind = ScopeKind::kBlock;
    } else if (is_member_initializer() || !has_parameter_list()) {
      scope.kind = ScopeKind::kInitializer;
    } else {
      scope.kind = ScopeKind::kFunction;
    }
    return scope;
  }

 private:
  const Token& token() const { return source_.tokens[at_]; }

  std::string text(std::size_t begin, std::size_t end) const {
    std::string result;
    for (std::size_t i = begin; i < end; ++i) {
      result += source_.tokens[i].text;
    }
    return result;
  }

  void skip_group() {
    if (at_ < end_ && is_open(token()) && structure_.partner[at_] != kNoToken) {
      at_ = structure_.partner[at_] + 1;
    }
  }

  void skip_decorations() {
    std::size_t before = kNoToken;
    while (at_ < end_ && at_ != before) {
      before = at_;
      skip_decoration();
    }
  }

  // Stays where it is if there is none.
  void skip_decoration() {
    if (token().is("template") && at_ + 1 < end_ &&
        source_.tokens[at_ + 1].is("<")) {
      const std::size_t after = template_list_end(source_, structure_, at_ + 1);
      at_ = after == kNoToken ? at_ : after;
    } else if (token().is("[") || token().is("(")) {
      skip_group();
    } else if (is_decoration(token()) ||
               token().kind == TokenKind::kDirective || is_access_label()) {
      ++at_;
    }
  }

  bool is_access_label() const {
    return token().is(":") || token().is("public") || token().is("private") ||
           token().is("protected");
  }

  std::optional<std::string> type_name() {
    if (at_ >= end_ || !is_type_keyword(token())) {
      return std::nullopt;
    }
    ++at_;
    while (at_ < end_ && is_type_keyword(token())) {
      ++at_;  // enum class
    }
    skip_decorations();
    std::string name;
    if (at_ < end_ && token().is_identifier()) {
      name = token().text;
    }
    // `struct Name function(...) {` is no type.
    for (std::size_t i = at_; i < end_ && !source_.tokens[i].is(":"); ++i) {
      if (source_.tokens[i].is("(")) {
        return std::nullopt;
      }
    }
    return name;
  }

  // A ')' that could close parameters, outside of template lists.
  bool has_parameter_list() const {
    for (std::size_t i = at_; i < end_; ++i) {
      if (source_.tokens[i].is("=") && i > at_ &&
          !source_.tokens[i - 1].is("operator")) {
        return false;
      }
      if (source_.tokens[i].is("(")) {
        return true;
      }
    }
    return false;
  }

  // `Name(...) : member` directly before '{'.
  bool is_member_initializer() const {
    if (end_ == at_ || !source_.tokens[end_ - 1].is_identifier()) {
      return false;
    }
    for (std::size_t i = at_; i + 1 < end_; ++i) {
      if (source_.tokens[i].is(")") && source_.tokens[i + 1].is(":")) {
        return true;
      }
    }
    return false;
  }

  const TokenizedText& source_;
  const TokenStructure& structure_;
  std::size_t at_;
  std::size_t end_;
};

class ScopeFinder {
 public:
  ScopeFinder(const TokenizedText& source, TokenStructure& structure)
      : source_(source), structure_(structure) {
    structure_.scopes.emplace_back();
    structure_.scope_of_token.resize(source.tokens.size());
    headers_.push_back(0);
  }

  void run() {
    for (std::size_t i = 0; i < source_.tokens.size(); ++i) {
      structure_.scope_of_token[i] = current_;
      visit(i);
    }
  }

 private:
  void visit(std::size_t i) {
    const Token& token = source_.tokens[i];
    if (token.kind == TokenKind::kDirective) {
      skip_leading_directive(i);
    } else if (token.kind != TokenKind::kPunctuator) {
      return;
    } else if (token.is("{") && structure_.partner[i] != kNoToken) {
      open_scope(i);
    } else if (token.is("}") && structure_.partner[i] != kNoToken) {
      close_scope(i);
    } else if (token.is("(")) {
      ++parentheses_;
    } else if (token.is(")")) {
      --parentheses_;
    } else if (token.is(";")) {
      end_statement(i);
    }
  }

  void skip_leading_directive(std::size_t i) {
    if (headers_.back() == i) {
      headers_.back() = i + 1;
    }
  }

  void end_statement(std::size_t i) {
    structure_.statements.push_back({headers_.back(), i, current_, -1});
    headers_.back() = i + 1;
  }

  void open_scope(std::size_t i) {
    const bool in_function = enclosing_function(structure_, current_) >= 0;
    const ScopeKind around = scope().kind;
    Scope opened =
        Header(source_, structure_, headers_.back(), i).classify(in_function);
    const bool is_default_argument = parentheses_ > 0 && !in_function;
    if (around == ScopeKind::kInitializer || is_default_argument) {
      opened.kind = ScopeKind::kInitializer;
    }
    opened.parent = current_;
    opened.open = i;
    opened.close = structure_.partner[i];
    opened.header = headers_.back();
    structure_.scopes.push_back(opened);
    const int index = static_cast<int>(structure_.scopes.size()) - 1;
    structure_.statements.push_back({headers_.back(), i, current_, index});
    current_ = index;
    headers_.push_back(i + 1);
    outer_parentheses_.push_back(parentheses_);
    parentheses_ = 0;
  }

  void close_scope(std::size_t i) {
    if (headers_.size() < 2) {
      return;
    }
    const bool is_value = scope().kind == ScopeKind::kInitializer;
    structure_.scope_of_token[i] = current_;
    current_ = scope().parent;
    headers_.pop_back();
    parentheses_ = outer_parentheses_.back();
    outer_parentheses_.pop_back();
    const bool is_lambda = parentheses_ > 0;
    if (!is_value && !is_lambda) {
      headers_.back() = i + 1;
    }
  }

  const Scope& scope() const {
    return structure_.scopes[static_cast<std::size_t>(current_)];
  }

  const TokenizedText& source_;
  TokenStructure& structure_;
  std::vector<std::size_t> headers_;
  std::vector<int> outer_parentheses_;
  int parentheses_ = 0;
  int current_ = 0;
};

// Whether a '<' after this token opens a template list rather than compares.
bool may_open_template_list(const Token& before) {
  return before.is_identifier() || before.is("template");
}

}  // namespace

TokenStructure find_structure(const TokenizedText& source) {
  TokenStructure structure;
  structure.partner = match_brackets(source.tokens);
  ScopeFinder(source, structure).run();
  return structure;
}

std::size_t template_list_end(const TokenizedText& source,
                              const TokenStructure& structure,
                              std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < source.tokens.size(); ++i) {
    const Token& token = source.tokens[i];
    if (i != open && is_open(token) && structure.partner[i] != kNoToken) {
      i = structure.partner[i];
    } else if (token.is("<") &&
               (i == open || may_open_template_list(source.tokens[i - 1]))) {
      ++depth;
    } else if (token.is(">") && --depth == 0) {
      return i + 1;
    } else if (token.is(";") || is_close(token)) {
      return kNoToken;
    }
  }
  return kNoToken;
}

std::string scope_prefix(const TokenStructure& structure, int scope) {
  std::string prefix;
  for (; scope > 0;
       scope = structure.scopes[static_cast<std::size_t>(scope)].parent) {
    const Scope& here = structure.scopes[static_cast<std::size_t>(scope)];
    if (!here.name.empty()) {
      prefix = here.name + "::" + prefix;
    }
  }
  return prefix;
}

int enclosing_function(const TokenStructure& structure, int scope) {
  while (scope > 0) {
    const Scope& here = structure.scopes[static_cast<std::size_t>(scope)];
    if (here.kind == ScopeKind::kFunction) {
      return scope;
    }
    scope = here.parent;
  }
  return -1;
}

std::vector<TokenRange> split_at_commas(const TokenizedText& source,
                                        const TokenStructure& structure,
                                        TokenRange range) {
  std::vector<TokenRange> parts;
  std::size_t begin = range.begin;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = source.tokens[i];
    if (is_open(token) && structure.partner[i] != kNoToken) {
      i = structure.partner[i];
    } else if (token.is("<") && i > range.begin &&
               may_open_template_list(source.tokens[i - 1])) {
      const std::size_t after = template_list_end(source, structure, i);
      i = after == kNoToken ? i : after - 1;
    } else if (token.is(",")) {
      parts.push_back({begin, i});
      begin = i + 1;
    }
  }
  if (begin < range.end) {
    parts.push_back({begin, range.end});
  }
  return parts;
}

}  // namespace flash_attn_mps::simulator
