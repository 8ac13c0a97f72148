// SPDX-License-Identifier: MIT
// The sum of a kernel's threadgroup variables. Sizes are taken from the
// unoptimized code, where every array's extent is a number.
#pragma once

#include <string>
#include <vector>

#include "simulator/dialect/finding.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

// `code` is LLVM's text of all kernels.
Findings check_threadgroup_bytes(const std::string& code,
                                 const std::vector<KernelDeclaration>& kernels);

}  // namespace flash_attn_mps::simulator
