// SPDX-License-Identifier: MIT
// Finds the kernels of a Metal text: functions, explicit instantiations with
// [[host_name]], and what each argument is bound to. It turns `kernel` into
// `inline`, so that only the kernel of a pipeline is compiled.
#pragma once

#include <vector>

#include "simulator/translate/constant_expression.h"
#include "simulator/translate/metal_source.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

// Throws CompileError where an argument or attribute is not supported.
std::vector<KernelDeclaration> extract_kernels(
    MetalSource& source,
    const IntegerConstants& constants);

}  // namespace flash_attn_mps::simulator
