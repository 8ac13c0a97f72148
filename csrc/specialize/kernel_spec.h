// SPDX-License-Identifier: MIT
// What a compiled kernel depends on, and nothing else: the key of the pipeline
// cache. Lengths, strides, scale and head counts are forgotten here.
#pragma once

#include <cstddef>
#include <string>

#include "plan/tiling_plan.h"
#include "problem/attention_problem.h"

namespace flash_attn_mps {

// Members that a kernel does not depend on keep their default, so that equal
// texts have equal specs.
struct KernelSpec {
  KernelName kernel = KernelName::kForward;
  ElementType element_type = ElementType::kFloat32;
  Masking masking = Masking::kNone;
  RequestedGradients gradients;
  int head_dim = 0;
  int value_head_dim = 0;
  int rows_per_simdgroup = 0;
  int simdgroups = 0;
  int step_rows = 0;

  bool operator==(const KernelSpec&) const = default;
};

struct KernelSpecHash {
  std::size_t operator()(const KernelSpec& spec) const;
};

// The spec of one planned kernel.
KernelSpec kernel_spec_from_plan(const AttentionProblem& problem,
                                 const TilingPlan& tiling);

// One "name: value" line per member.
std::string describe(const KernelSpec& spec);

}  // namespace flash_attn_mps
