// SPDX-License-Identifier: MIT
// Rules about the members of user-defined types: address spaces of member
// functions, and copies out of `constant` memory.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/translate/language_rules.h"

namespace flash_attn_mps::simulator {
namespace {

struct MemberFunction {
  std::size_t name = kNoToken;        // kNoToken for an operator
  TokenRange parameters;              // parentheses excluded
  std::size_t qualifiers = kNoToken;  // first token behind ')'
  bool is_static = false;
  bool is_constructor = false;
};

bool is_space(const Token& token) {
  return token.is("thread") || token.is("device") || token.is("constant") ||
         token.is("threadgroup");
}

class MemberReader {
 public:
  MemberReader(const MetalSource& source, const Statement& statement)
      : source_(source),
        end_(statement.end),
        type_(source.scope(statement.scope).name),
        begin_(source.after_template_header(skip_access(statement.begin))) {}

  // Nothing for data members, types, friends and using declarations.
  std::optional<MemberFunction> read() {
    MemberFunction member;
    std::size_t i = begin_;
    for (; i < end_; i = next(i)) {
      const Token& token = source_.token(i);
      if (is_other_declaration(token) || token.is("=")) {
        return std::nullopt;
      }
      member.is_static |= token.is("static");
      if (token.is("operator")) {
        last_word_ = kNoToken;
        i = operator_parameters(i);
        break;
      }
      if (token.is("(") && !source_.is_in_attribute(i)) {
        break;
      }
      if (token.is_identifier()) {
        last_word_ = i;
      }
    }
    if (i >= end_ || source_.partner(i) == kNoToken || is_declarator(i)) {
      return std::nullopt;
    }
    finish(i, member);
    return member;
  }

 private:
  // The parenthesis of `T (*rows)[4];`, a data member.
  bool is_declarator(std::size_t open) const {
    const Token& first = source_.token(open + 1);
    return last_word_ != kNoToken && (first.is("*") || first.is("&"));
  }

  std::size_t skip_access(std::size_t i) const {
    while (i + 1 < end_ &&
           (source_.token(i).is("public") || source_.token(i).is("private") ||
            source_.token(i).is("protected")) &&
           source_.token(i + 1).is(":")) {
      i += 2;
    }
    return i;
  }

  static bool is_other_declaration(const Token& token) {
    static constexpr std::array<std::string_view, 8> kWords = {"using",
                                                               "typedef",
                                                               "friend",
                                                               "struct",
                                                               "class",
                                                               "enum",
                                                               "union",
                                                               "static_assert"};
    return std::any_of(kWords.begin(),
                       kWords.end(),
                       [&](std::string_view word) { return token.is(word); });
  }

  std::size_t next(std::size_t i) const {
    const Token& token = source_.token(i);
    if (token.is("<") || token.is("[")) {
      return source_.after_group(i);
    }
    const bool takes_group = token.is("decltype") || token.is("alignas") ||
                             token.is("__attribute__") || token.is("explicit");
    return takes_group && source_.token(i + 1).is("(")
               ? source_.after_group(i + 1)
               : i + 1;
  }

  // `operator()(...)`, `operator float(...)`, `operator+(...)`.
  std::size_t operator_parameters(std::size_t i) const {
    ++i;
    if (source_.token(i).is("(")) {
      return source_.after_group(i);
    }
    while (i < end_ && !source_.token(i).is("(")) {
      ++i;
    }
    return i;
  }

  void finish(std::size_t open, MemberFunction& member) const {
    const std::size_t close = source_.partner(open);
    member.parameters = {open + 1, close};
    member.qualifiers = close + 1;
    // `Name(`, or `Name<T>(` for a constructor of a template.
    const bool is_named =
        last_word_ != kNoToken &&
        (last_word_ + 1 == open || source_.after_group(last_word_ + 1) == open);
    if (is_named) {
      member.name = last_word_;
      const bool is_destructor =
          last_word_ > 0 && source_.token(last_word_ - 1).is("~");
      member.is_constructor =
          is_destructor || source_.token(last_word_).is(type_);
    }
  }

  const MetalSource& source_;
  std::size_t end_;
  std::string type_;
  std::size_t begin_;
  std::size_t last_word_ = kNoToken;
};

// Tokens between ')' and the body, ';', a member initialiser or "= default".
TokenRange qualifier_range(const MetalSource& source,
                           const MemberFunction& member,
                           const Statement& statement) {
  std::size_t end = member.qualifiers;
  while (end < statement.end && !source.token(end).is(":") &&
         !source.token(end).is("=") && !source.token(end).is("->")) {
    ++end;
  }
  return {member.qualifiers, end};
}

void qualify(MetalSource& source,
             const MemberFunction& member,
             const Statement& statement) {
  const TokenRange range = qualifier_range(source, member, statement);
  bool has_space = false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    has_space |= is_space(source.token(i));
    if (member.is_constructor && source.token(i).is("thread")) {
      source.edits().remove(i);
    }
  }
  if (!has_space && !member.is_constructor) {
    source.edits().insert_before(member.qualifiers, " thread ");
  }
}

bool is_struct_with_name(const MetalSource& source, const Scope& scope) {
  if (scope.kind != ScopeKind::kType || scope.name.empty() ||
      scope.close == kNoToken) {
    return false;
  }
  const TokenRange header{source.after_template_header(scope.header),
                          scope.open};
  return !source.contains(header, "enum") && !source.contains(header, "union");
}

struct DeclaredMembers {
  bool has_constructor = false;
  bool has_copy = false;  // from the default space
  bool has_constant_copy = false;
  bool has_assignment = false;
};

void note_constructor(const MetalSource& source,
                      const MemberFunction& member,
                      DeclaredMembers& declared) {
  declared.has_constructor = true;
  const bool takes_itself =
      source.contains(member.parameters, "&") &&
      source.contains(member.parameters, source.token(member.name).text);
  const bool is_constant = source.contains(member.parameters, "constant");
  declared.has_copy |= takes_itself && !is_constant;
  declared.has_constant_copy |= takes_itself && is_constant;
}

DeclaredMembers declared_members(const MetalSource& source, int scope_index) {
  DeclaredMembers declared;
  for (const Statement& statement : source.structure().statements) {
    if (statement.scope != scope_index) {
      continue;
    }
    const auto member = MemberReader(source, statement).read();
    if (!member) {
      continue;
    }
    if (member->is_constructor) {
      note_constructor(source, *member, declared);
    }
    declared.has_assignment |=
        source.token(member->parameters.begin - 2).is("=") &&
        source.token(member->parameters.begin - 3).is("operator");
  }
  return declared;
}

std::string constant_copy_text(const std::string& name,
                               const DeclaredMembers& declared) {
  std::string text;
  if (!declared.has_constructor) {
    text += name + "() = default; ";
  }
  // Braces in `T({a, b})` would fit both copies; a move is the better one.
  if (!declared.has_copy) {
    text += name + "(const " + name + "&) = default; " + name + "(" + name +
            "&&) = default; ";
  }
  if (!declared.has_constant_copy) {
    text += name + "(const constant " + name + "&) = default; ";
  }
  if (!declared.has_assignment) {
    text += name + "& operator=(const " + name + "&) = default; " + name +
            "& operator=(const constant " + name + "&) = default; ";
  }
  return text;
}

}  // namespace

void qualify_member_functions(MetalSource& source) {
  for (const Statement& statement : source.structure().statements) {
    const Scope& scope = source.scope(statement.scope);
    if (scope.kind != ScopeKind::kType || scope.name.empty()) {
      continue;
    }
    const auto member = MemberReader(source, statement).read();
    if (member && !member->is_static) {
      qualify(source, *member, statement);
    }
  }
}

void add_constant_copies(MetalSource& source) {
  const auto& scopes = source.structure().scopes;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    const Scope& scope = scopes[i];
    if (!is_struct_with_name(source, scope)) {
      continue;
    }
    const DeclaredMembers declared =
        declared_members(source, static_cast<int>(i));
    const bool is_class = source.contains({scope.header, scope.open}, "class");
    source.edits().insert_after(scope.open,
                                std::string(is_class ? " public:" : "") + " " +
                                    constant_copy_text(scope.name, declared) +
                                    (is_class ? "private: " : ""));
  }
}

}  // namespace flash_attn_mps::simulator
