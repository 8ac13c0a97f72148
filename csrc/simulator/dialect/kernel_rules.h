// SPDX-License-Identifier: MIT
// The rules about kernels as a whole: return type, overloads, calls of
// kernels, buffer and threadgroup indices, threads per threadgroup.
#pragma once

#include <vector>

#include "simulator/dialect/finding.h"
#include "simulator/dialect/function_outline.h"
#include "simulator/translate/metal_source.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

Findings check_kernels(const MetalSource& source,
                       const std::vector<FunctionOutline>& functions,
                       const std::vector<bool>& is_own_file);

// The same rules about indices for indices that are expressions, which the
// front end has evaluated.
Findings check_evaluated_indices(const std::vector<KernelDeclaration>& kernels);

}  // namespace flash_attn_mps::simulator
