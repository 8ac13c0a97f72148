// SPDX-License-Identifier: MIT
// Reads the attributes of kernel parameters from tokens, so that a kernel
// template is judged even when nothing instantiates it.
#include "simulator/dialect/kernel_rules.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace flash_attn_mps::simulator {
namespace {

constexpr int kHighestBufferIndex = 30;
constexpr int kMostThreadsPerThreadgroup = 1024;

struct IndexedArgument {
  std::string table;  // "buffer" or "threadgroup"
  int index = 0;
  std::size_t token = 0;
  bool is_conditional = false;  // exists only with its function constant
};

class KernelRules {
 public:
  KernelRules(const MetalSource& source,
              const std::vector<FunctionOutline>& functions)
      : source_(source), tokens_(source.text().tokens), functions_(functions) {}

  void check_kernel(const FunctionOutline& kernel) {
    check_return_type(kernel);
    check_indices(kernel);
    check_thread_limit(kernel);
    const Definition definition = {tokens_[kernel.name_index].line,
                                   kernel.is_template};
    const auto [other, is_new] =
        kernels_.emplace(kernel.qualifier + kernel.name, definition);
    if (!is_new && !(kernel.is_template && other->second.is_template)) {
      report(kernel.name_index,
             "kernel-overload",
             "kernel `" + kernel.name + "` is already defined in line " +
                 std::to_string(other->second.line) +
                 "; kernels cannot be overloaded");
    }
  }

  // Functions that share a kernel's name could be meant as well; those names
  // are left out.
  void check_calls(const FunctionOutline& caller) {
    for (std::size_t i = caller.body.begin; i < caller.body.end; ++i) {
      const Token& token = tokens_[i];
      if (!token.is_identifier() || !is_kernel_name(token.text) ||
          tokens_[i - 1].is(".") || tokens_[i - 1].is("->")) {
        continue;
      }
      const std::size_t behind =
          tokens_[i + 1].is("<") ? source_.after_group(i + 1) : i + 1;
      if (tokens_[behind].is("(")) {
        report(i,
               "kernel-call",
               "kernel `" + std::string(token.text) +
                   "` is called; only the host starts kernels. Move the body "
                   "into a function that both call");
      }
    }
  }

  Findings take_findings() { return std::move(findings_); }

 private:
  // Templates of one name are told apart by their instantiations, each with a
  // host name of its own; public kernels rely on it.
  struct Definition {
    int line = 0;
    bool is_template = false;
  };

  void report(std::size_t index, std::string_view rule, std::string sentence) {
    findings_.push_back({source_.file_of(index),
                         tokens_[index].line,
                         std::string(rule),
                         std::move(sentence)});
  }

  bool is_kernel_name(std::string_view name) const {
    bool is_kernel = false;
    bool is_function = false;
    for (const FunctionOutline& function : functions_) {
      const bool is_meant = function.name == name;
      is_kernel = is_kernel || (is_meant && function.is_kernel);
      is_function = is_function || (is_meant && !function.is_kernel);
    }
    return is_kernel && !is_function;
  }

  static bool is_specifier(const Token& token) {
    return token.is("kernel") || token.is("inline") || token.is("static") ||
           token.is("constexpr") || token.is("extern") ||
           token.text.starts_with("__attribute") ||
           token.kind == TokenKind::kString ||
           token.kind == TokenKind::kDirective;
  }

  void check_return_type(const FunctionOutline& kernel) {
    std::string type;
    for (std::size_t i = kernel.declaration.begin; i < kernel.name_index;
         i = source_.after_group(i)) {
      const Token& token = tokens_[i];
      if (source_.partner(i) == kNoToken && !is_specifier(token)) {
        type += (type.empty() ? "" : " ") + std::string(token.text);
      }
    }
    if (type != "void") {
      report(kernel.name_index,
             "kernel-return-type",
             "kernel `" + kernel.name + "` must return void; got " + type);
    }
  }

  // The slots of the parameters, where they are plain numbers.
  std::vector<IndexedArgument> indexed_arguments(
      const FunctionOutline& kernel) const {
    std::vector<IndexedArgument> arguments;
    for (const AttributeList& list : source_.attributes()) {
      if (list.tokens.begin >= kernel.parameters.begin &&
          list.tokens.end <= kernel.parameters.end) {
        add_slots(list, arguments);
      }
    }
    return arguments;
  }

  void add_slots(const AttributeList& list,
                 std::vector<IndexedArgument>& arguments) const {
    const bool is_conditional = std::any_of(
        list.attributes.begin(), list.attributes.end(), [](const auto& one) {
          return one.name == "function_constant";
        });
    for (const Attribute& attribute : list.attributes) {
      const bool is_table =
          attribute.name == "buffer" || attribute.name == "threadgroup";
      const std::optional<int> index =
          is_table ? number_of(attribute.arguments) : std::nullopt;
      if (index) {
        arguments.push_back(
            {attribute.name, *index, list.tokens.begin, is_conditional});
      }
    }
  }

  void check_indices(const FunctionOutline& kernel) {
    std::set<std::pair<std::string, int>> used;
    for (const IndexedArgument& argument : indexed_arguments(kernel)) {
      const std::string attribute =
          argument.table + "(" + std::to_string(argument.index) + ")";
      if (argument.index > kHighestBufferIndex) {
        report(argument.token,
               "index-range",
               "`" + attribute + "` is out of range; the highest index is " +
                   std::to_string(kHighestBufferIndex));
      }
      const bool is_new = argument.is_conditional ||
                          used.insert({argument.table, argument.index}).second;
      if (!is_new) {
        report(argument.token,
               "duplicate-index",
               "`" + attribute + "` is used twice in kernel `" + kernel.name +
                   "`");
      }
    }
  }

  void check_thread_limit(const FunctionOutline& kernel) {
    for (const Attribute& attribute :
         source_.attributes_in(kernel.declaration)) {
      if (attribute.name != "max_total_threads_per_threadgroup") {
        continue;
      }
      const std::optional<int> limit = number_of(attribute.arguments);
      if (limit && (*limit < 1 || *limit > kMostThreadsPerThreadgroup)) {
        report(attribute.arguments.begin,
               "thread-limit",
               "max_total_threads_per_threadgroup must lie in [1, " +
                   std::to_string(kMostThreadsPerThreadgroup) + "]; got " +
                   std::to_string(*limit));
      }
    }
  }

  // The only token of a range, if it is a number.
  std::optional<int> number_of(TokenRange range) const {
    if (range.end != range.begin + 1) {
      return std::nullopt;
    }
    const std::string_view text = tokens_[range.begin].text;
    int value = 0;
    const auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number =
        error == std::errc() && stop == text.data() + text.size();
    return is_number ? std::optional(value) : std::nullopt;
  }

  const MetalSource& source_;
  const std::vector<Token>& tokens_;
  const std::vector<FunctionOutline>& functions_;
  std::map<std::string, Definition> kernels_;
  Findings findings_;
};

Findings check_declaration(const KernelDeclaration& kernel) {
  Findings findings;
  std::set<std::pair<ArgumentKind, int>> used;
  for (const KernelArgument& argument : kernel.arguments) {
    if (argument.kind == ArgumentKind::kValue) {
      continue;
    }
    if (argument.index > kHighestBufferIndex) {
      findings.push_back({kernel.file,
                          kernel.line,
                          "index-range",
                          "index " + std::to_string(argument.index) + " of `" +
                              argument.name +
                              "` is out of range; the highest index is " +
                              std::to_string(kHighestBufferIndex)});
    }
    if (argument.condition.empty() &&
        !used.insert({argument.kind, argument.index}).second) {
      findings.push_back({kernel.file,
                          kernel.line,
                          "duplicate-index",
                          "index " + std::to_string(argument.index) + " of `" +
                              argument.name + "` is used twice"});
    }
  }
  return findings;
}

}  // namespace

Findings check_kernels(const MetalSource& source,
                       const std::vector<FunctionOutline>& functions,
                       const std::vector<bool>& is_own_file) {
  KernelRules rules(source, functions);
  for (const FunctionOutline& function : functions) {
    const Token& name = source.token(function.name_index);
    if (!is_own_file[static_cast<std::size_t>(name.file)]) {
      continue;
    }
    if (function.is_kernel) {
      rules.check_kernel(function);
    }
    rules.check_calls(function);
  }
  return rules.take_findings();
}

Findings check_evaluated_indices(
    const std::vector<KernelDeclaration>& kernels) {
  Findings findings;
  for (const KernelDeclaration& kernel : kernels) {
    const Findings of_kernel = check_declaration(kernel);
    findings.insert(findings.end(), of_kernel.begin(), of_kernel.end());
  }
  return findings;
}

}  // namespace flash_attn_mps::simulator
