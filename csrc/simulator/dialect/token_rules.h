// SPDX-License-Identifier: MIT
// The rules of the dialect that tokens alone decide: words that Metal does not
// have, function pointers, static locals, threadgroup variables, vector casts.
// Types are the business of syntax_tree_rules.h.
#pragma once

#include <vector>

#include "simulator/dialect/finding.h"
#include "simulator/dialect/function_outline.h"
#include "simulator/translate/metal_source.h"

namespace flash_attn_mps::simulator {

// `source` is preprocessed text; is_own_file[i] tells whether its i-th file is
// to be judged (the simulator's headers are not).
Findings check_tokens(const MetalSource& source,
                      const std::vector<FunctionOutline>& functions,
                      const std::vector<bool>& is_own_file);

}  // namespace flash_attn_mps::simulator
