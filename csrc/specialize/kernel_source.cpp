// SPDX-License-Identifier: MIT
// Writes the preamble of constants and flattens the includes of metal/.
#include "specialize/kernel_source.h"

#include <set>
#include <sstream>

#include "specialize/embedded_metal.h"

namespace flash_attn_mps {
namespace {

std::string_view metal_type(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "float";
    case ElementType::kFloat16:
      return "half";
    case ElementType::kBFloat16:
      return "bfloat";
  }
  return "float";
}

void add_constant(std::ostringstream& text, std::string_view name, int value) {
  text << "constant constexpr int " << name << " = " << value << ";\n";
}

void add_flag(std::ostringstream& text, std::string_view name, bool value) {
  text << "constant constexpr bool " << name << " = "
       << (value ? "true" : "false") << ";\n";
}

constexpr std::string_view kProbeFolder = "metal/probes/";
constexpr std::string_view kMetalSuffix = ".metal";

std::string common_preamble(ElementType element_type) {
  std::ostringstream text;
  text << "#include <metal_stdlib>\n"
       << "#include <metal_simdgroup_matrix>\n"
       << "using namespace metal;\n"
       << "using Element = " << metal_type(element_type) << ";\n";
  return text.str();
}

std::string preamble(const KernelSpec& spec) {
  std::ostringstream text;
  text << common_preamble(spec.element_type);
  add_constant(text, "kHeadDim", spec.head_dim);
  add_constant(text, "kValueHeadDim", spec.value_head_dim);
  add_constant(text, "kSimdgroups", spec.simdgroups);
  add_constant(text, "kThreads", 32 * spec.simdgroups);
  add_constant(text, "kRows", spec.rows_per_simdgroup);
  add_constant(text, "kStepRows", spec.step_rows);
  add_flag(text, "kIsCausal", spec.masking == Masking::kCausal);
  add_flag(text, "kWantsGradKey", spec.gradients.key);
  add_flag(text, "kWantsGradValue", spec.gradients.value);
  return text.str();
}

// The file named by an `#include "..."` line; empty for any other line.
std::string included_file(std::string_view line) {
  constexpr std::string_view kDirective = "#include \"";
  if (!line.starts_with(kDirective)) {
    return {};
  }
  line.remove_prefix(kDirective.size());
  return std::string(line.substr(0, line.find('"')));
}

// Appends a file of metal/, each file once, with a #line directive wherever
// the text passes from one file to another.
void append_file(const std::string& name,
                 std::set<std::string>& seen,
                 std::string& text) {
  if (!seen.insert(name).second) {
    return;
  }
  const auto mark_line = [&](int number) {
    text += "#line " + std::to_string(number) + " \"" + name + "\"\n";
  };
  mark_line(1);
  std::istringstream lines{std::string(embedded_metal_file(name))};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string included = included_file(line);
    if (!included.empty()) {
      append_file(included, seen, text);
      mark_line(number + 1);
    } else if (line == "#pragma once") {
      text += "\n";
    } else {
      text += line + "\n";
    }
  }
}

}  // namespace

std::string kernel_file(KernelName kernel) {
  return "metal/kernels/" + std::string(kernel_function_name(kernel)) +
         ".metal";
}

std::string kernel_source_from_spec(const KernelSpec& spec) {
  std::string text = preamble(spec);
  std::set<std::string> seen;
  append_file(kernel_file(spec.kernel), seen, text);
  return text;
}

std::vector<std::string> probe_names() {
  std::vector<std::string> names;
  for (std::string_view file : embedded_metal_file_names()) {
    if (file.starts_with(kProbeFolder)) {
      file.remove_prefix(kProbeFolder.size());
      file.remove_suffix(kMetalSuffix.size());
      names.emplace_back(file);
    }
  }
  return names;
}

std::string probe_source(const std::string& probe, ElementType element_type) {
  std::string text = common_preamble(element_type);
  std::set<std::string> seen;
  append_file(std::string(kProbeFolder) + probe + std::string(kMetalSuffix),
              seen,
              text);
  return text;
}

}  // namespace flash_attn_mps
