// SPDX-License-Identifier: MIT
// The order of the rules matters once: words are renamed before any rule
// copies tokens into new text.
#include "simulator/translate/translate.h"

#include <optional>
#include <utility>
#include <vector>

#include "simulator/translate/constant_expression.h"
#include "simulator/translate/function_constants.h"
#include "simulator/translate/kernel_table.h"
#include "simulator/translate/language_rules.h"
#include "simulator/translate/left_out_functions.h"
#include "simulator/translate/metal_source.h"
#include "simulator/translate/program_scope_values.h"
#include "simulator/translate/threadgroup_variables.h"

namespace flash_attn_mps::simulator {

TranslatedSource translate_preprocessed(std::string text,
                                        const std::string& file_name) {
  MetalSource whole(std::move(text), file_name);
  std::vector<LeftOutFunction> left_out = leave_out_functions(whole);
  std::optional<MetalSource> rest;
  MetalSource& source = left_out.empty()
                            ? whole
                            : rest.emplace(whole.edits().render(), file_name);
  refuse_unsupported_features(source);
  const IntegerConstants constants(source);

  TranslatedSource result;
  rename_reserved_words(source);
  remove_coherence(source);
  rewrite_program_scope_values(source);
  rewrite_floating_literals(source);
  rewrite_unroll_pragmas(source);
  pass_functions_by_reference(source);
  relax_constant_variables(source);
  drop_const_beside_constant(source);
  result.swizzles = rewrite_swizzles(source);
  remove_attributes(source);
  qualify_member_functions(source);
  add_constant_copies(source);
  accept_temporaries(source);
  result.kernels = extract_kernels(source, constants);
  result.constants = rewrite_function_constants(source, constants);
  result.threadgroup_variables = rewrite_threadgroup_variables(source);
  if (result.kernels.empty() && !left_out.empty()) {
    throw CompileError(left_out.front().reason);
  }
  result.left_out = std::move(left_out);
  result.text = source.edits().render();
  return result;
}

}  // namespace flash_attn_mps::simulator
