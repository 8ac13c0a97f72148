// SPDX-License-Identifier: MIT
// Kernel functions and their explicit instantiations.
#include "simulator/translate/kernel_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "simulator/translate/function_header.h"
#include "simulator/translate/kernel_arguments.h"

namespace flash_attn_mps::simulator {
namespace {

class KernelExtractor {
 public:
  KernelExtractor(MetalSource& source, const IntegerConstants& constants)
      : source_(source), constants_(constants) {}

  std::vector<KernelDeclaration> run() {
    for (const Statement& statement : source_.structure().statements) {
      const ScopeKind around = source_.scope(statement.scope).kind;
      if (around == ScopeKind::kFile || around == ScopeKind::kNamespace) {
        visit(statement);
      }
    }
    for (const Statement& statement : instantiations_) {
      add_instantiation(statement);
    }
    for (const Statement& statement : instantiations_) {
      source_.edits().remove_range(statement.begin, statement.end + 1);
    }
    return std::move(kernels_);
  }

 private:
  void visit(const Statement& statement) {
    const TokenRange range{statement.begin, statement.end};
    if (is_instantiation(statement)) {
      if (host_name(range) || is_kernel(range)) {
        instantiations_.push_back(statement);
      }
      return;
    }
    if (!is_kernel(range)) {
      return;
    }
    mark_inline(statement);
    const auto header = read_header(statement);
    if (statement.body >= 0 && header) {
      add_function(statement, *header);
    }
  }

  bool is_instantiation(const Statement& statement) const {
    return statement.body < 0 && statement.begin < statement.end &&
           source_.token(statement.begin).is("template") &&
           !source_.token(statement.begin + 1).is("<");
  }

  bool is_kernel(TokenRange range) const {
    const auto attributes = source_.attributes_in(range);
    return source_.contains(range, "kernel") ||
           std::any_of(attributes.begin(),
                       attributes.end(),
                       [](const Attribute& attribute) {
                         return attribute.name == "kernel";
                       });
  }

  std::optional<std::string> host_name(TokenRange range) const {
    for (const Attribute& attribute : source_.attributes_in(range)) {
      if (attribute.name == "host_name") {
        return joined_literals(attribute.arguments);
      }
    }
    return std::nullopt;
  }

  std::string joined_literals(TokenRange range) const {
    std::string joined;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (source_.token(i).kind == TokenKind::kString) {
        joined += string_literal_value(source_.token(i).text);
      }
    }
    return joined;
  }

  void mark_inline(const Statement& statement) {
    const std::size_t begin = source_.after_template_header(statement.begin);
    bool is_inline = false;
    for (std::size_t i = begin; i < statement.end; ++i) {
      if (source_.token(i).is("inline") || source_.token(i).is("static")) {
        is_inline = true;
      }
      if (source_.token(i).is("kernel") && !source_.is_in_attribute(i)) {
        source_.edits().remove(i);
      }
    }
    if (!is_inline) {
      source_.edits().insert_before(first_word(begin, statement.end),
                                    "inline ");
    }
  }

  std::size_t first_word(std::size_t begin, std::size_t end) const {
    while (begin < end &&
           (source_.is_in_attribute(begin) ||
            source_.token(begin).kind == TokenKind::kDirective)) {
      ++begin;
    }
    return begin;
  }

  std::optional<FunctionHeader> read_header(const Statement& statement) const {
    return read_function_header(source_, {statement.begin, statement.end});
  }

  KernelDeclaration describe(const Statement& statement,
                             const FunctionHeader& header) const {
    KernelDeclaration kernel;
    kernel.function = source_.edits().text(header.name_begin, header.name_end);
    std::erase(kernel.function, ' ');
    kernel.enclosing_namespace =
        scope_prefix(source_.structure(), statement.scope);
    if (!kernel.enclosing_namespace.empty()) {
      kernel.enclosing_namespace.resize(kernel.enclosing_namespace.size() - 2);
    }
    kernel.template_arguments = source_.edits().text(
        header.template_arguments.begin, header.template_arguments.end);
    kernel.file = source_.file_of(header.name_begin);
    kernel.line = source_.token(header.name_begin).line;
    return kernel;
  }

  void add_function(const Statement& statement, const FunctionHeader& header) {
    const TokenRange range{statement.begin, statement.end};
    KernelDeclaration kernel = describe(statement, header);
    kernel.arguments = read_kernel_arguments(source_,
                                             constants_,
                                             header.parameters,
                                             /*attributes_may_miss=*/false);
    read_max_total_threads(range, kernel);
    const std::size_t after = source_.after_template_header(statement.begin);
    kernel.template_header = source_.edits().text(statement.begin, after);
    const std::string name = last_component(kernel.function);
    functions_.emplace(name, kernel);
    const bool is_template =
        after != statement.begin &&
        header.template_arguments.begin == header.template_arguments.end;
    if (!is_template) {
      kernel.template_header.clear();
      kernel.host_name = host_name(range).value_or(kernel.function);
      kernels_.push_back(kernel);
    }
  }

  void read_max_total_threads(TokenRange range,
                              KernelDeclaration& kernel) const {
    for (const Attribute& attribute : source_.attributes_in(range)) {
      if (attribute.name != "max_total_threads_per_threadgroup") {
        continue;
      }
      kernel.max_total_threads_expression =
          source_.original_text(attribute.arguments);
      kernel.max_total_threads = static_cast<int>(
          constants_.evaluate(attribute.arguments).value_or(0));
    }
  }

  static std::string last_component(const std::string& name) {
    const std::size_t colon = name.rfind(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
  }

  void add_instantiation(const Statement& statement) {
    const TokenRange range{statement.begin, statement.end};
    const auto header = read_header(statement);
    const auto name = host_name(range);
    if (!header || !name) {
      return;
    }
    KernelDeclaration kernel = describe(statement, *header);
    kernel.host_name = *name;
    kernel.spells_parameters = header->has_parameters;
    std::vector<KernelArgument> spelled;
    if (header->has_parameters) {
      spelled = read_kernel_arguments(source_,
                                      constants_,
                                      header->parameters,
                                      /*attributes_may_miss=*/true);
    }
    const KernelDeclaration* function = find_function(kernel, spelled);
    if (function == nullptr) {
      source_.refuse(header->name_begin,
                     "no kernel template named '" + kernel.function +
                         "' is defined before its instantiation as \"" + *name +
                         "\".");
    }
    adopt(*function, std::move(spelled), kernel);
    kernels_.push_back(std::move(kernel));
  }

  const KernelDeclaration* find_function(
      const KernelDeclaration& kernel,
      const std::vector<KernelArgument>& spelled) const {
    const auto [first, last] =
        functions_.equal_range(last_component(kernel.function));
    for (auto found = first; found != last; ++found) {
      if (!kernel.spells_parameters ||
          found->second.arguments.size() == spelled.size()) {
        return &found->second;
      }
    }
    return first == last ? nullptr : &first->second;
  }

  // Bindings come from the template, types from the instantiation.
  static void adopt(const KernelDeclaration& function,
                    std::vector<KernelArgument> spelled,
                    KernelDeclaration& kernel) {
    kernel.arguments = function.arguments;
    kernel.max_total_threads = function.max_total_threads;
    kernel.max_total_threads_expression = function.max_total_threads_expression;
    kernel.template_header = function.template_header;
    for (std::size_t i = 0; i < spelled.size() && i < kernel.arguments.size();
         ++i) {
      kernel.arguments[i].type = spelled[i].type;
    }
  }

  MetalSource& source_;
  const IntegerConstants& constants_;
  std::vector<KernelDeclaration> kernels_;
  std::multimap<std::string, KernelDeclaration> functions_;
  std::vector<Statement> instantiations_;
};

}  // namespace

std::vector<KernelDeclaration> extract_kernels(
    MetalSource& source,
    const IntegerConstants& constants) {
  return KernelExtractor(source, constants).run();
}

}  // namespace flash_attn_mps::simulator
