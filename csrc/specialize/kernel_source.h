// SPDX-License-Identifier: MIT
// One Metal text from one spec: constants, then the files of metal/ with their
// includes flattened. It compiles nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "specialize/kernel_spec.h"

namespace flash_attn_mps {

// The file of metal/ that holds the kernel's entry point, for example
// "metal/kernels/attention_forward.metal".
std::string kernel_file(KernelName kernel);

// The whole text, ASCII. Its entry point is kernel_function_name(spec.kernel).
// #line directives name the files of metal/ for messages.
std::string kernel_source_from_spec(const KernelSpec& spec);

// The names of the probes of metal/probes/, which show what a GPU does rather
// than compute attention: "lane_layout", ... Each file holds one kernel, named
// like the file.
std::vector<std::string> probe_names();

// The whole text of a probe for one element type.
std::string probe_source(const std::string& probe, ElementType element_type);

}  // namespace flash_attn_mps
