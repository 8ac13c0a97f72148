// SPDX-License-Identifier: MIT
// Function constants: `constant T x [[function_constant(n)]];` becomes a macro
// call that the compile step defines, once it knows the values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/translate/constant_expression.h"
#include "simulator/translate/metal_source.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

std::vector<FunctionConstant> rewrite_function_constants(
    MetalSource& source,
    const IntegerConstants& constants);

// `#define`s for the macros: a value, or for a constant without one an
// undefined variable, so that only a kernel that uses it fails to link.
std::string define_function_constants(
    const std::vector<FunctionConstant>& declared,
    const std::map<int, ConstantValue>& values);

}  // namespace flash_attn_mps::simulator
