// SPDX-License-Identifier: MIT
// Rule: `const uint i [[thread_position_in_grid]];` outside of functions names
// the value in all of them.
#pragma once

#include "simulator/translate/metal_source.h"

namespace flash_attn_mps::simulator {

// Removes the declarations; each use in a function becomes the value. Functions
// with a parameter or variable of the name keep their own.
void rewrite_program_scope_values(MetalSource& source);

}  // namespace flash_attn_mps::simulator
