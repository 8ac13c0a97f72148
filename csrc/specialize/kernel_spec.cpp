// SPDX-License-Identifier: MIT
// From a plan to the cache key: copies what a kernel depends on.
#include "specialize/kernel_spec.h"

#include <functional>
#include <sstream>

namespace flash_attn_mps {

std::size_t KernelSpecHash::operator()(const KernelSpec& spec) const {
  return std::hash<std::string>()(describe(spec));
}

KernelSpec kernel_spec_from_plan(const AttentionProblem& problem,
                                 const TilingPlan& tiling) {
  KernelSpec spec = {
      .kernel = tiling.kernel,
      .element_type = problem.element_type,
      .gradients = tiling.gradients,
      .value_head_dim = static_cast<int>(problem.value_head_dim),
      .rows_per_simdgroup = tiling.rows_per_simdgroup,
      .simdgroups = tiling.simdgroups,
      .step_rows = tiling.step_rows,
  };
  // attention_delta sees neither queries, keys nor the mask.
  if (tiling.kernel != KernelName::kDelta) {
    spec.masking = problem.masking;
    spec.head_dim = static_cast<int>(problem.head_dim);
  }
  return spec;
}

std::string describe(const KernelSpec& spec) {
  std::ostringstream text;
  text << "kernel: " << kernel_function_name(spec.kernel) << "\n"
       << "element_type: " << element_type_name(spec.element_type) << "\n"
       << "masking: " << masking_name(spec.masking) << "\n"
       << "gradients: " << describe(spec.gradients) << "\n"
       << "head_dim: " << spec.head_dim << "\n"
       << "value_head_dim: " << spec.value_head_dim << "\n"
       << "rows_per_simdgroup: " << spec.rows_per_simdgroup << "\n"
       << "simdgroups: " << spec.simdgroups << "\n"
       << "step_rows: " << spec.step_rows << "\n";
  return text.str();
}

}  // namespace flash_attn_mps
