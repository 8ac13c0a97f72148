// SPDX-License-Identifier: MIT
// The file form of a translated source, so that a later process reads the
// kernel table without starting the preprocessor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

std::string serialize(const TranslatedSource& source);

// Nothing if the text is not what serialize() wrote, for example cut off.
std::optional<TranslatedSource> deserialize(std::string_view text);

}  // namespace flash_attn_mps::simulator
