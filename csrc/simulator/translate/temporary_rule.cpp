// SPDX-License-Identifier: MIT
// The rule about temporaries and `const thread T&` parameters.
#include <algorithm>
#include <string>
#include <vector>

#include "simulator/translate/function_header.h"
#include "simulator/translate/language_rules.h"

namespace flash_attn_mps::simulator {
namespace {

struct Parameter {
  TokenRange tokens;         // without default value
  TokenRange default_value;  // "= value", or empty
  std::string name;
  bool binds_temporaries = false;  // const thread T&
};

class OverloadWriter {
 public:
  OverloadWriter(MetalSource& source, const Statement& statement)
      : source_(source),
        statement_(statement),
        around_(source.scope(statement.scope)) {}

  void run() {
    const auto header =
        read_function_header(source_, {statement_.begin, statement_.end});
    if (!header || !header->has_parameters) {
      return;
    }
    header_ = *header;
    for (const TokenRange& part : split_at_commas(
             source_.text(), source_.structure(), header_.parameters)) {
      parameters_.push_back(read(part));
    }
    const auto count = std::count_if(
        parameters_.begin(), parameters_.end(), [](const Parameter& each) {
          return each.binds_temporaries;
        });
    if (count == 0) {
      return;
    }
    if (is_constructor()) {
      pass_by_value();
    } else if (has_all_names() && !is_kernel()) {
      write_overloads(static_cast<unsigned>(count));
    }
  }

 private:
  Parameter read(TokenRange part) const {
    const std::size_t equals = source_.find(part, "=");
    const std::size_t end = equals == kNoToken ? part.end : equals;
    Parameter parameter;
    parameter.tokens = {part.begin, end};
    parameter.default_value = {end, part.end};
    std::size_t last = end - 1;
    while (last > part.begin && source_.is_in_attribute(last)) {
      --last;
    }
    const std::size_t ampersand = source_.find(parameter.tokens, "&");
    if (source_.token(last).is_identifier() && last > part.begin) {
      parameter.name = source_.edits().text(last, last + 1);
    }
    parameter.binds_temporaries =
        ampersand != kNoToken && source_.contains(part, "const") &&
        source_.contains(part, "thread") && !source_.contains(part, "*") &&
        !source_.contains(part, "[");
    return parameter;
  }

  bool is_constructor() const {
    return around_.kind == ScopeKind::kType &&
           source_.token(header_.name_begin).is(around_.name);
  }

  bool is_kernel() const {
    return source_.contains({statement_.begin, statement_.end}, "kernel");
  }

  bool has_all_names() const {
    return std::all_of(
        parameters_.begin(), parameters_.end(), [](const Parameter& each) {
          return !each.name.empty();
        });
  }

  // A constructor cannot forward a copy. Its own type stays a reference.
  void pass_by_value() {
    for (const Parameter& parameter : parameters_) {
      if (parameter.binds_temporaries) {
        const bool is_copy = source_.contains(parameter.tokens, around_.name);
        pass_by_value(parameter.tokens, /*keeps_reference=*/is_copy);
      }
    }
  }

  void pass_by_value(TokenRange range, bool keeps_reference) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Token& token = source_.token(i);
      if (token.is("thread") || (token.is("&") && !keeps_reference)) {
        source_.edits().remove(i);
      }
    }
  }

  // One overload for each set of parameters given as temporaries.
  void write_overloads(unsigned count) {
    constexpr unsigned kMostCombined = 4;
    const unsigned sets = 1U << std::min(count, kMostCombined);
    std::string text;
    for (unsigned set = 1; set < sets; ++set) {
      text += overload_text(set);
    }
    if (count > kMostCombined) {
      text += overload_text(~0U);
    }
    const Scope& body = source_.scope(statement_.body);
    source_.edits().insert_after(body.close, text);
  }

  std::string overload_text(unsigned set) const {
    std::string declared;
    std::string copies;
    std::string passed;
    unsigned bit = 0;
    for (const Parameter& parameter : parameters_) {
      const std::string separator = declared.empty() ? "" : ", ";
      std::string name = parameter.name;
      const bool is_temporary =
          parameter.binds_temporaries && ((set >> bit++) & 1U) != 0;
      if (is_temporary) {
        declared += separator + temporary_text(parameter);
        const std::string copy = name + "_of_temporary";
        copies += "const auto " + copy + " = " + name + "; ";
        name = copy;
      } else {
        declared += separator + source_.edits().text(parameter.tokens.begin,
                                                     parameter.tokens.end);
      }
      declared += source_.edits().text(parameter.default_value.begin,
                                       parameter.default_value.end);
      passed += (passed.empty() ? "" : ", ") + name;
    }
    const std::size_t close = source_.partner(header_.parameters.begin - 1);
    return " " + source_.edits().text(statement_.begin, header_.name_end) +
           "(" + declared + ")" +
           source_.edits().text(close + 1, statement_.end) + " { " + copies +
           "return " + callee() + "(" + passed + "); }";
  }

  std::string temporary_text(const Parameter& parameter) const {
    std::string text;
    for (std::size_t i = parameter.tokens.begin; i < parameter.tokens.end;
         ++i) {
      const Token& token = source_.token(i);
      if (!token.is("thread")) {
        text += source_.edits().text(i, i + 1) + (token.is("&") ? "& " : " ");
      }
    }
    return text;
  }

  std::string callee() const {
    std::string text =
        source_.edits().text(header_.name_begin, header_.name_end);
    std::string arguments;
    for (const std::string& name :
         template_parameter_names(source_, statement_.begin)) {
      arguments += (arguments.empty() ? "" : ", ") + name;
    }
    return arguments.empty() ? text : text + "<" + arguments + ">";
  }

  MetalSource& source_;
  const Statement& statement_;
  const Scope& around_;
  FunctionHeader header_;
  std::vector<Parameter> parameters_;
};

}  // namespace

void accept_temporaries(MetalSource& source) {
  for (const Statement& statement : source.structure().statements) {
    if (statement.body >= 0 &&
        source.scope(statement.body).kind == ScopeKind::kFunction) {
      OverloadWriter(source, statement).run();
    }
  }
}

}  // namespace flash_attn_mps::simulator
