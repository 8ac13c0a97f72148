// SPDX-License-Identifier: MIT
// Preprocessed Metal text to C++ for OpenCL: applies every rewriting rule. It
// starts no compiler and reads no file.
#pragma once

#include <string>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

// Throws CompileError for what is not supported.
TranslatedSource translate_preprocessed(std::string text,
                                        const std::string& file_name);

}  // namespace flash_attn_mps::simulator
