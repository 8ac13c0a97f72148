// SPDX-License-Identifier: MIT
// Statement by statement. Line markers stay, so that what follows keeps its
// place.
#include "simulator/translate/left_out_functions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "simulator/translate/function_header.h"
#include "simulator/translate/language_rules.h"

namespace flash_attn_mps::simulator {
namespace {

class FunctionFilter {
 public:
  explicit FunctionFilter(MetalSource& source) : source_(source) {}

  std::vector<LeftOutFunction> run() {
    for (const Statement& statement : source_.structure().statements) {
      const ScopeKind around = source_.scope(statement.scope).kind;
      const bool is_outside =
          around == ScopeKind::kFile || around == ScopeKind::kNamespace;
      if (is_outside && may_be_function(statement)) {
        visit(statement);
      }
    }
    return std::move(left_out_);
  }

 private:
  bool may_be_function(const Statement& statement) const {
    if (statement.body >= 0) {
      return source_.scope(statement.body).kind == ScopeKind::kFunction;
    }
    const Token& first =
        source_.token(source_.after_template_header(statement.begin));
    return !first.is("using") && !first.is("typedef") && !first.is("struct");
  }

  void visit(const Statement& statement) {
    const TokenRange range{statement.begin, end_of(statement)};
    const auto header =
        read_function_header(source_, {statement.begin, statement.end});
    if (!header) {
      return;
    }
    const std::string name(source_.token(header->name_end - 1).text);
    std::optional<std::string> reason = reason_in(range);
    if (!reason && is_instantiation(statement)) {
      reason = reason_of(name);
    }
    if (reason) {
      remove(range);
      left_out_.push_back({name, host_name(range), *reason});
    }
  }

  // Behind the body or the ';'.
  std::size_t end_of(const Statement& statement) const {
    const std::size_t last = statement.body < 0
                                 ? statement.end
                                 : source_.scope(statement.body).close;
    return std::min(last, source_.text().tokens.size() - 2) + 1;
  }

  bool is_instantiation(const Statement& statement) const {
    return statement.body < 0 && source_.token(statement.begin).is("template");
  }

  std::optional<std::string> reason_in(TokenRange range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (auto reason = unsupported_feature(source_, i)) {
        return reason;
      }
    }
    return std::nullopt;
  }

  // The template that an instantiation names may be the one that is left out.
  std::optional<std::string> reason_of(const std::string& name) const {
    const auto found = std::find_if(
        left_out_.begin(), left_out_.end(), [&](const LeftOutFunction& each) {
          return each.name == name;
        });
    return found == left_out_.end() ? std::nullopt
                                    : std::optional(found->reason);
  }

  std::string host_name(TokenRange range) const {
    for (const Attribute& attribute : source_.attributes_in(range)) {
      if (attribute.name == "host_name" &&
          attribute.arguments.begin < attribute.arguments.end) {
        return string_literal_value(
            source_.token(attribute.arguments.begin).text);
      }
    }
    return "";
  }

  void remove(TokenRange range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (source_.token(i).kind != TokenKind::kDirective) {
        source_.edits().remove(i);
      }
    }
  }

  MetalSource& source_;
  std::vector<LeftOutFunction> left_out_;
};

}  // namespace

std::vector<LeftOutFunction> leave_out_functions(MetalSource& source) {
  return FunctionFilter(source).run();
}

}  // namespace flash_attn_mps::simulator
