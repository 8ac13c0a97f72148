// SPDX-License-Identifier: MIT
// Judges the tokens of a file and those inside its macros one by one.
#include "simulator/dialect/vocabulary_rule.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::array<std::string_view, 68> kLanguageWords = {
    "alignas",  "alignof",       "auto",      "bool",      "break",
    "case",     "char",          "class",     "const",     "const_cast",
    "constant", "constexpr",     "continue",  "decltype",  "default",
    "defined",  "device",        "do",        "else",      "enum",
    "explicit", "extern",        "false",     "float",     "for",
    "friend",   "half",          "if",        "inline",    "int",
    "int16_t",  "int32_t",       "int64_t",   "int8_t",    "kernel",
    "long",     "metal",         "mutable",   "namespace", "nullptr",
    "operator", "private",       "protected", "ptrdiff_t", "public",
    "return",   "short",         "signed",    "size_t",    "sizeof",
    "static",   "static_assert", "struct",    "switch",    "template",
    "this",     "thread",        "true",      "typedef",   "typename",
    "uchar",    "uint",          "ulong",     "unsigned",  "ushort",
    "using",    "void",          "while"};

constexpr std::array<std::string_view, 14> kMoreLanguageWords = {
    "static_cast",
    "reinterpret_cast",
    "threadgroup",
    "union",
    "volatile",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "bfloat",
    "clang",
    "noexcept",
    "_Pragma",
    "offsetof"};

template <std::size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& words,
              std::string_view name) {
  return std::find(words.begin(), words.end(), name) != words.end();
}

bool is_swizzle(std::string_view name) {
  return name.size() <= 4 && name.find_first_not_of("xyzwrgba") == name.npos;
}

// The name, and the parameters where it has some, of `#define name(...)`.
void add_macro_names(const TokenizedText& directive,
                     std::set<std::string>& names) {
  const std::vector<Token>& tokens = directive.tokens;
  std::size_t i = 2;
  if (tokens.size() < 4 || !tokens[1].is("define")) {
    return;
  }
  names.emplace(tokens[i].text);
  if (!tokens[i + 1].is("(") || !tokens[i + 1].spacing.empty()) {
    return;
  }
  for (i += 2; i < tokens.size() && !tokens[i].is(")"); ++i) {
    names.emplace(tokens[i].text);
  }
}

// A directive's own tokens: the '#' is replaced so that it is no directive.
TokenizedText directive_tokens(const Token& token) {
  std::string text(token.text);
  text[0] = ';';
  return tokenize(std::move(text), "");
}

// "a<T>::b" as "a", "b": template arguments are not part of a name.
std::vector<std::string> scopes_and_name(const std::string& entry) {
  const TokenizedText parts = tokenize(entry, "");
  std::vector<std::string> path;
  int depth = 0;
  for (const Token& token : parts.tokens) {
    depth += token.is("<") ? 1 : 0;
    depth -= token.is(">") ? 1 : 0;
    if (token.is_identifier() && depth == 0) {
      path.emplace_back(token.text);
    }
  }
  return path;
}

class VocabularyCheck {
 public:
  VocabularyCheck(const TokenizedText& source,
                  const std::set<std::string>& declared,
                  const Vocabulary& vocabulary)
      : source_(source), declared_(declared), vocabulary_(vocabulary) {}

  Findings run() {
    for (const Token& token : source_.tokens) {
      if (token.kind == TokenKind::kDirective) {
        add_macro_names(directive_tokens(token), declared_);
      }
    }
    for (std::size_t i = 0; i + 1 < source_.tokens.size(); ++i) {
      const Token& token = source_.tokens[i];
      if (token.kind == TokenKind::kDirective) {
        check_macro(token);
      } else {
        check_name(source_.tokens, i, token);
      }
    }
    return std::move(findings_);
  }

 private:
  void check_macro(const Token& directive) {
    const TokenizedText inside = directive_tokens(directive);
    if (inside.tokens.size() < 2 || !inside.tokens[1].is("define")) {
      return;
    }
    for (std::size_t i = 2; i + 1 < inside.tokens.size(); ++i) {
      check_name(inside.tokens, i, directive);
    }
  }

  void check_name(const std::vector<Token>& tokens,
                  std::size_t index,
                  const Token& place) {
    if (!tokens[index].is_identifier()) {
      return;
    }
    const std::string name(tokens[index].text);
    const bool is_member =
        index > 0 && (tokens[index - 1].is(".") || tokens[index - 1].is("->"));
    if (declared_.count(name) != 0 || (is_member && is_swizzle(name))) {
      return;
    }
    const std::string scope = scope_of(tokens, index);
    const std::string qualified = scope.empty() ? name : scope + "::" + name;
    const bool is_known = vocabulary_.lists_scope(scope)
                              ? vocabulary_.has_qualified(qualified)
                              : vocabulary_.has_name(name) ||
                                    is_among(kLanguageWords, name) ||
                                    is_among(kMoreLanguageWords, name);
    if (!is_known) {
      findings_.push_back(
          {source_.file_of(place),
           place.line,
           "vocabulary",
           "`" + qualified +
               "` is in no public Metal source of the vocabulary table; use "
               "a known name, or allow it with a reason"});
    }
  }

  static std::string scope_of(const std::vector<Token>& tokens,
                              std::size_t index) {
    const bool is_scoped = index >= 2 && tokens[index - 1].is("::") &&
                           tokens[index - 2].is_identifier();
    return is_scoped ? std::string(tokens[index - 2].text) : std::string();
  }

  const TokenizedText& source_;
  std::set<std::string> declared_;
  const Vocabulary& vocabulary_;
  Findings findings_;
};

}  // namespace

Vocabulary::Vocabulary(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    add(scopes_and_name(entry));
  }
}

void Vocabulary::add(const std::vector<std::string>& path) {
  names_.insert(path.begin(), path.end());
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i - 1] != "metal") {
      qualified_.insert(path[i - 1] + "::" + path[i]);
      scopes_.insert(path[i - 1]);
    }
  }
}

bool Vocabulary::has_name(const std::string& name) const {
  return names_.count(name) != 0;
}

bool Vocabulary::has_qualified(const std::string& qualified) const {
  return qualified_.count(qualified) != 0;
}

bool Vocabulary::lists_scope(const std::string& scope) const {
  return scopes_.count(scope) != 0;
}

Findings check_vocabulary(const TokenizedText& source,
                          const std::set<std::string>& declared,
                          const Vocabulary& vocabulary) {
  return VocabularyCheck(source, declared, vocabulary).run();
}

}  // namespace flash_attn_mps::simulator
