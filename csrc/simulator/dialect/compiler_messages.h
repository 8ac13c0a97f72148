// SPDX-License-Identifier: MIT
// What the compiler and the front end refuse by themselves, as findings.
#pragma once

#include <string>

#include "simulator/dialect/finding.h"

namespace flash_attn_mps::simulator {

// The rule of what no rule of this folder has a name for.
inline constexpr const char* kCompilerRule = "compile";

// `text` is what clang wrote, or the one sentence of a CompileError; what has
// no place in the text is placed in line 1 of `file_name`.
Findings read_compiler_messages(const std::string& text,
                                const std::string& file_name);

}  // namespace flash_attn_mps::simulator
