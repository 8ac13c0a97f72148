// SPDX-License-Identifier: MIT
// Writes the entry of a pipeline.
#include "simulator/translate/entry_text.h"

namespace flash_attn_mps::simulator {
namespace {

std::string proxy_of(const KernelArgument& argument) {
  switch (argument.kind) {
    case ArgumentKind::kBuffer:
      return "metal_host::buffer{" + std::to_string(argument.index) + ", " +
             (argument.condition.empty()
                  ? "true"
                  : "static_cast<bool>(" + argument.condition + ")") +
             "}";
    case ArgumentKind::kThreadgroup:
      return "metal_host::threadgroup_argument{" +
             std::to_string(argument.index) + "}";
    case ArgumentKind::kValue:
      break;
  }
  return "metal_attribute::" + argument.attribute + "()";
}

std::string argument_text(const KernelArgument& argument,
                          bool spells_parameters) {
  const bool converts =
      spells_parameters && argument.kind != ArgumentKind::kValue;
  return converts
             ? "static_cast<" + argument.type + ">(" + proxy_of(argument) + ")"
             : proxy_of(argument);
}

// Qualified, since a kernel may have the name of a function of Metal's library
// that a using-directive makes visible beside it.
std::string qualified_name(const KernelDeclaration& kernel) {
  if (kernel.function.find("::") != std::string::npos) {
    return kernel.function;
  }
  const std::string& around = kernel.enclosing_namespace;
  return "::" + around + (around.empty() ? "" : "::") + kernel.function;
}

std::string call_text(const KernelDeclaration& kernel) {
  std::string text = qualified_name(kernel);
  if (!kernel.template_arguments.empty()) {
    text += "<" + kernel.template_arguments + ">";
  }
  text += "(";
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    text += (i == 0 ? "" : ", ") +
            argument_text(kernel.arguments[i], kernel.spells_parameters);
  }
  return text + ");";
}

// The limit may depend on the kernel's template parameters, so a struct with
// the same parameters evaluates it.
std::string limit_text(const KernelDeclaration& kernel) {
  const std::string definition =
      std::string(
          "extern \"C\" { __attribute__((visibility(\"default\"))) "
          "constant int ") +
      kMaxTotalThreadsSymbol + " = ";
  const std::string& expression = kernel.max_total_threads_expression;
  if (kernel.template_header.empty() || expression.empty()) {
    return definition + "static_cast<int>(" +
           (expression.empty() ? "0" : expression) + "); }\n";
  }
  if (kernel.template_arguments.empty()) {
    return definition + "0; }\n";
  }
  return kernel.template_header +
         " struct flash_attn_mps_limit_of { static constant constexpr int "
         "value = static_cast<int>(" +
         expression + "); };\n" + definition + "flash_attn_mps_limit_of<" +
         kernel.template_arguments + ">::value; }\n";
}

}  // namespace

std::string entry_text(const KernelDeclaration& kernel) {
  const std::string& around = kernel.enclosing_namespace;
  std::string text = "\n# 1 \"entry of " + kernel.host_name + "\"\n";
  if (!around.empty()) {
    text += "namespace " + around + " {\n";
  }
  text += "extern \"C\" __attribute__((visibility(\"default\"))) void " +
          std::string(kEntrySymbol) + "() {\n  " + call_text(kernel) + "\n}\n" +
          limit_text(kernel);
  if (!around.empty()) {
    text += "}\n";
  }
  return text;
}

}  // namespace flash_attn_mps::simulator
