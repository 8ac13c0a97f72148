// SPDX-License-Identifier: MIT
// Rewrites declarations such as `threadgroup T a[N][M], b;` in function bodies.
#include "simulator/translate/threadgroup_variables.h"

#include <map>
#include <string>
#include <utility>

namespace flash_attn_mps::simulator {
namespace {

class VariableRewriter {
 public:
  explicit VariableRewriter(MetalSource& source) : source_(source) {}

  std::vector<ThreadgroupVariable> run() {
    for (const Statement& statement : source_.structure().statements) {
      if (statement.body < 0 &&
          enclosing_function(source_.structure(), statement.scope) >= 0) {
        visit(statement);
      }
    }
    return std::move(variables_);
  }

 private:
  void visit(const Statement& statement) {
    const TokenRange range{statement.begin, statement.end};
    const std::size_t space = first_word(range);
    if (space == kNoToken || is_pointer_or_function(range)) {
      return;
    }
    std::string text;
    const auto parts = split_at_commas(
        source_.text(), source_.structure(), {space + 1, range.end});
    std::string type;
    for (const TokenRange& part : parts) {
      const TokenRange declarator = without_alignment(part);
      const std::size_t name = name_of(declarator);
      if (name == kNoToken) {
        return;
      }
      if (type.empty()) {
        type = source_.edits().text(declarator.begin, name);
      }
      text += declare(type, name, declarator.end, statement.scope);
    }
    // The ';' of the declaration ends the last reference.
    source_.edits().remove_range(range.begin, range.end + 1);
    source_.edits().insert_before(space, text);
  }

  // `threadgroup`, perhaps behind `static`, `const` or alignas(...).
  std::size_t first_word(TokenRange range) {
    alignment_.clear();
    std::size_t i = range.begin;
    while (i < range.end) {
      const Token& token = source_.token(i);
      if (token.is("threadgroup")) {
        return i;
      }
      if (token.is("alignas") && source_.partner(i + 1) != kNoToken) {
        alignment_ = source_.edits().text(i + 2, source_.partner(i + 1));
        i = source_.partner(i + 1) + 1;
      } else if (token.is("static") || source_.is_in_attribute(i) ||
                 token.kind == TokenKind::kDirective) {
        ++i;
      } else {
        return kNoToken;
      }
    }
    return kNoToken;
  }

  TokenRange without_alignment(TokenRange part) {
    if (source_.token(part.begin).is("alignas") &&
        source_.partner(part.begin + 1) != kNoToken) {
      const std::size_t close = source_.partner(part.begin + 1);
      alignment_ = source_.edits().text(part.begin + 2, close);
      part.begin = close + 1;
    }
    return part;
  }

  bool is_pointer_or_function(TokenRange range) const {
    if (source_.contains(range, "*") || source_.contains(range, "&") ||
        source_.contains(range, "=")) {
      return true;
    }
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const bool is_call = source_.token(i).is("(") && i > range.begin &&
                           !source_.token(i - 1).is("alignas") &&
                           !source_.token(i - 1).is("decltype") &&
                           !source_.is_in_attribute(i);
      if (is_call && is_outside_groups(range, i)) {
        return true;
      }
    }
    return false;
  }

  bool is_outside_groups(TokenRange range, std::size_t index) const {
    for (std::size_t i = range.begin; i < index;) {
      const bool opens_list = source_.token(i).is("<") && i > range.begin;
      const bool opens_group = source_.partner(i) != kNoToken;
      i = opens_list || opens_group ? source_.after_group(i) : i + 1;
      if (i > index) {
        return false;
      }
    }
    return true;
  }

  // The identifier before the first '[' or at the end.
  std::size_t name_of(TokenRange part) const {
    std::size_t i = source_.find(part, "[");
    std::size_t end = i == kNoToken ? part.end : i;
    while (end > part.begin && source_.is_in_attribute(end - 1)) {
      --end;
    }
    return end > part.begin && source_.token(end - 1).is_identifier()
               ? end - 1
               : kNoToken;
  }

  std::string declare(const std::string& type,
                      std::size_t name,
                      std::size_t end,
                      int scope) {
    ThreadgroupVariable variable;
    variable.name = source_.edits().text(name, name + 1);
    variable.type = type;
    variable.extent = extent_text(name + 1, end);
    variable.function = function_name(scope);
    variable.file = source_.file_of(name);
    variable.line = source_.token(name).line;
    variable.site = sites_[enclosing_function(source_.structure(), scope)]++;
    variables_.push_back(variable);

    const std::string alignment =
        alignment_.empty() ? "1" : "(" + alignment_ + ")";
    const bool is_array = !variable.extent.empty();
    const std::string pointee =
        type + (is_array ? "(*)" + variable.extent : "*");
    return "threadgroup " + type + " " +
           (is_array ? "(&" + variable.name + ")" + variable.extent
                     : "&" + variable.name) +
           " = *reinterpret_cast<threadgroup " + pointee +
           ">(metal_host::threadgroup_variable<" + type + ">(" +
           std::to_string(variable.site) + ", sizeof(" + type +
           variable.extent + "), " + alignment + ", \"" + variable.name +
           "\")); ";
  }

  std::string extent_text(std::size_t begin, std::size_t end) const {
    std::size_t stop = begin;
    while (stop < end && source_.token(stop).is("[") &&
           !source_.is_in_attribute(stop)) {
      stop = source_.after_group(stop);
    }
    return source_.edits().text(begin, stop);
  }

  std::string function_name(int scope) const {
    const int function = enclosing_function(source_.structure(), scope);
    const Scope& body = source_.scope(function);
    const std::size_t begin = source_.after_template_header(body.header);
    std::size_t open = begin;
    while (open < body.open &&
           (!source_.token(open).is("(") || source_.is_in_attribute(open))) {
      ++open;
    }
    return open > begin ? std::string(source_.token(open - 1).text) : "";
  }

  MetalSource& source_;
  std::string alignment_;
  std::vector<ThreadgroupVariable> variables_;
  std::map<int, int> sites_;  // of each function body so far
};

}  // namespace

std::vector<ThreadgroupVariable> rewrite_threadgroup_variables(
    MetalSource& source) {
  return VariableRewriter(source).run();
}

}  // namespace flash_attn_mps::simulator
