// SPDX-License-Identifier: MIT
// The first step of every compilation: a Metal text through clang's
// preprocessor, in which Apple's headers are files of macros.
#pragma once

#include <string>
#include <string_view>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

// The preprocessed text with line markers. Throws CompileError.
std::string preprocess(const CompileRequest& request);

// A compiler's message, in which address spaces have Metal's names.
std::string in_metal_words(std::string text);

// Throws CompileError with a tool's messages in Metal's words.
[[noreturn]] void report_compiler(const std::string& error,
                                  std::string_view step);

}  // namespace flash_attn_mps::simulator
