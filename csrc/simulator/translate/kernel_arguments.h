// SPDX-License-Identifier: MIT
// Reads the parameter list of one kernel: what each parameter is bound to.
#pragma once

#include <string>
#include <vector>

#include "simulator/translate/constant_expression.h"
#include "simulator/translate/metal_source.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

// Attributes of the positions and sizes that a kernel may ask for.
bool is_thread_attribute(const std::string& name);

// `parameters` lies between the parentheses. Buffers without an attribute get
// the lowest free slot, as in Metal. Throws CompileError for what is not
// supported, unless `attributes_may_miss` (an explicit instantiation).
std::vector<KernelArgument> read_kernel_arguments(
    const MetalSource& source,
    const IntegerConstants& constants,
    TokenRange parameters,
    bool attributes_may_miss);

}  // namespace flash_attn_mps::simulator
