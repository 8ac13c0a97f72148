// SPDX-License-Identifier: MIT
// Rule: functions that need what the simulator has not, textures or a render
// stage, are left out of the text, so that the kernels beside them can run.
#pragma once

#include <vector>

#include "simulator/translate/metal_source.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

// Removes function definitions, declarations and instantiations outside of
// types; names them with what they need. Whatever else uses such a feature, a
// struct for example, stays for refuse_unsupported_features.
std::vector<LeftOutFunction> leave_out_functions(MetalSource& source);

}  // namespace flash_attn_mps::simulator
