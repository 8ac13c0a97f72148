// SPDX-License-Identifier: MIT
// Reads the statement before each function body.
#include "simulator/dialect/function_outline.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace flash_attn_mps::simulator {
namespace {

bool takes_arguments(const Token& word) {
  return word.is("alignas") || word.is("__attribute__") || word.is("decltype");
}

// Index of the '(' that opens the parameters; none for what is no function.
std::optional<std::size_t> find_parameters(const MetalSource& source,
                                           TokenRange header) {
  for (std::size_t i = header.begin; i < header.end;) {
    const bool is_parenthesis =
        source.token(i).is("(") && !source.is_in_attribute(i) &&
        i > header.begin && !takes_arguments(source.token(i - 1));
    if (is_parenthesis) {
      // In `operator()(` the first pair belongs to the name.
      const bool is_name = source.token(i - 1).is("operator");
      return is_name ? i + 2 : i;
    }
    i = source.token(i).is("<") && source.token(i - 1).is("operator")
            ? i + 1
            : source.after_group(i);
  }
  return std::nullopt;
}

// `kernel void f` or `[[kernel]] void f`.
bool is_kernel_declaration(const MetalSource& source, TokenRange declaration) {
  const std::vector<Attribute> attributes = source.attributes_in(declaration);
  return source.contains(declaration, "kernel") ||
         std::any_of(attributes.begin(),
                     attributes.end(),
                     [](const Attribute& attribute) {
                       return attribute.name == "kernel";
                     });
}

}  // namespace

std::vector<FunctionOutline> outline_functions(const MetalSource& source) {
  std::vector<FunctionOutline> functions;
  for (const Scope& scope : source.structure().scopes) {
    if (scope.kind != ScopeKind::kFunction) {
      continue;
    }
    const std::size_t begin = source.after_template_header(scope.header);
    const auto parameters = find_parameters(source, {begin, scope.open});
    if (!parameters || source.partner(*parameters) == kNoToken) {
      continue;
    }
    FunctionOutline function;
    function.name_index = *parameters - 1;
    function.name = std::string(source.token(function.name_index).text);
    function.qualifier = scope_prefix(source.structure(), scope.parent);
    function.declaration = {begin, function.name_index};
    function.is_kernel = is_kernel_declaration(source, function.declaration);
    function.is_template = begin != scope.header;
    function.parameters = {*parameters + 1, source.partner(*parameters)};
    function.body = {scope.open + 1, scope.close};
    functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace flash_attn_mps::simulator
