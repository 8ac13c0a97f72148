// SPDX-License-Identifier: MIT
// One Metal text from one spec: constants, then the files of metal/ with their
// includes flattened. It compiles nothing.
#pragma once

#include <string>
#include <string_view>

#include "specialize/kernel_spec.h"

namespace flash_attn_mps {

// The file of metal/ that holds the kernel's entry point, for example
// "metal/kernels/attention_forward.metal".
std::string kernel_file(KernelName kernel);

// The whole text, ASCII. Its entry point is kernel_function_name(spec.kernel).
// #line directives name the files of metal/ for messages.
std::string kernel_source_from_spec(const KernelSpec& spec);

}  // namespace flash_attn_mps
