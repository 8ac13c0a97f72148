// SPDX-License-Identifier: MIT
// The whole text that clang compiles: the headers with what they are told, the
// translated source, entries.
#pragma once

#include <string>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

std::string unit_text(const CompileRequest& request,
                      const TranslatedSource& translated,
                      const std::string& entries);

}  // namespace flash_attn_mps::simulator
