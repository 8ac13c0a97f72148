// SPDX-License-Identifier: MIT
// Declarations first, then every function body.
#include "simulator/translate/program_scope_values.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/translate/kernel_arguments.h"

namespace flash_attn_mps::simulator {
namespace {

struct ScopeValue {
  std::string name;
  std::string expression;
  int scope = 0;
};

class ValueRewriter {
 public:
  explicit ValueRewriter(MetalSource& source) : source_(source) {}

  void run() {
    for (const Statement& statement : source_.structure().statements) {
      const ScopeKind around = source_.scope(statement.scope).kind;
      const bool is_outside =
          around == ScopeKind::kFile || around == ScopeKind::kNamespace;
      if (is_outside && statement.body < 0) {
        read(statement);
      }
    }
    if (values_.empty()) {
      return;
    }
    for (const Scope& scope : source_.structure().scopes) {
      if (scope.kind == ScopeKind::kFunction && scope.close != kNoToken) {
        rewrite(scope);
      }
    }
  }

 private:
  void read(const Statement& statement) {
    const TokenRange range{statement.begin, statement.end};
    const auto attributes = source_.attributes_in(range);
    if (attributes.empty() || !is_thread_attribute(attributes[0].name) ||
        source_.contains(range, "(")) {
      return;
    }
    if (attributes.size() > 1) {
      source_.refuse(range.begin,
                     "a value with an attribute must have a declaration of its "
                     "own outside of functions");
    }
    std::size_t end = range.begin;
    while (end < range.end && !source_.is_in_attribute(end)) {
      ++end;
    }
    if (end < range.begin + 2) {
      return;
    }
    std::string type;
    for (std::size_t i = range.begin; i + 1 < end; ++i) {
      const Token& token = source_.token(i);
      const bool is_qualifier = token.is("const") || token.is("constant") ||
                                token.is("static") ||
                                token.kind == TokenKind::kDirective;
      type += is_qualifier ? "" : std::string(token.text) + " ";
    }
    values_.push_back({std::string(source_.token(end - 1).text),
                       "(static_cast<" + type +
                           ">(metal_attribute::" + attributes[0].name + "()))",
                       statement.scope});
    source_.edits().remove_range(range.begin, range.end + 1);
  }

  void rewrite(const Scope& function) {
    for (const ScopeValue& value : values_) {
      if (is_visible(value, function) && !is_hidden(value.name, function) &&
          !(is_method(function) && is_member(value.name))) {
        replace(value, function);
      }
    }
  }

  // Declared in a scope around the function, and in no nearer one.
  bool is_visible(const ScopeValue& value, const Scope& function) const {
    for (int scope = function.parent; scope >= 0;
         scope = source_.scope(scope).parent) {
      const auto found = std::find_if(
          values_.begin(), values_.end(), [&](const ScopeValue& each) {
            return each.scope == scope && each.name == value.name;
          });
      if (found != values_.end()) {
        return &*found == &value;
      }
      if (declares(scope, value.name)) {
        return false;
      }
    }
    return false;
  }

  // Another thing of that name: `constant uint name =`, `uint name(`.
  bool declares(int scope, const std::string& name) const {
    const auto& statements = source_.structure().statements;
    return std::any_of(
        statements.begin(), statements.end(), [&](const Statement& each) {
          return each.scope == scope && declares(each, name);
        });
  }

  bool declares(const Statement& statement, const std::string& name) const {
    for (std::size_t i = statement.begin; i < statement.end; ++i) {
      const Token& token = source_.token(i);
      if (source_.is_in_attribute(i)) {
        continue;
      }
      if (token.is("(") || token.is("=")) {
        return false;
      }
      if (token.is(name)) {
        return true;
      }
    }
    return false;
  }

  // Of a type around it, or `T S::name(`.
  bool is_method(const Scope& function) const {
    for (int scope = function.parent; scope >= 0;
         scope = source_.scope(scope).parent) {
      if (source_.scope(scope).kind == ScopeKind::kType) {
        return true;
      }
    }
    for (std::size_t i = function.header; i + 2 < function.open; ++i) {
      if (source_.token(i).is("::") && source_.token(i + 2).is("(")) {
        return true;
      }
    }
    return false;
  }

  // Of any type: which ones a type inherits from is for the compiler.
  bool is_member(const std::string& name) const {
    const auto& scope_of_token = source_.structure().scope_of_token;
    for (std::size_t i = 0; i < scope_of_token.size(); ++i) {
      if (source_.token(i).is(name) &&
          source_.scope(scope_of_token[i]).kind == ScopeKind::kType) {
        return true;
      }
    }
    return false;
  }

  bool is_hidden(const std::string& name, const Scope& function) const {
    for (std::size_t i = function.header; i < function.close; ++i) {
      const bool is_named =
          source_.token(i).is(name) && !source_.is_in_attribute(i);
      if (is_named && (i < function.open || is_declared(i))) {
        return true;
      }
    }
    return false;
  }

  // Behind a type, that is, behind a word that no expression ends with.
  bool is_declared(std::size_t i) const {
    static constexpr std::array<std::string_view, 5> kWords = {
        "return", "case", "else", "do", "sizeof"};
    const Token& before = source_.token(i - 1);
    return before.is_identifier() &&
           std::none_of(kWords.begin(), kWords.end(), [&](auto word) {
             return before.is(word);
           });
  }

  void replace(const ScopeValue& value, const Scope& function) {
    for (std::size_t i = function.open; i < function.close; ++i) {
      const Token& before = source_.token(i - 1);
      const bool is_use = source_.token(i).is(value.name) &&
                          !source_.is_in_attribute(i) && !before.is(".") &&
                          !before.is("->") && !before.is("::");
      if (is_use) {
        source_.edits().replace(i, value.expression);
      }
    }
  }

  MetalSource& source_;
  std::vector<ScopeValue> values_;
};

}  // namespace

void rewrite_program_scope_values(MetalSource& source) {
  ValueRewriter(source).run();
}

}  // namespace flash_attn_mps::simulator
