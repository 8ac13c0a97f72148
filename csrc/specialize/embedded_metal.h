// SPDX-License-Identifier: MIT
// The files of metal/, embedded in the operator library by setup.py, which
// generates the definitions of these functions.
#pragma once

#include <string_view>
#include <vector>

namespace flash_attn_mps {

// Text of a file named relative to the repository's root, for example
// "metal/kernels/attention_forward.metal"; empty if there is none.
std::string_view embedded_metal_file(std::string_view name);

// Every name that embedded_metal_file knows, sorted.
std::vector<std::string_view> embedded_metal_file_names();

}  // namespace flash_attn_mps
