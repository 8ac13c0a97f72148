// SPDX-License-Identifier: MIT
// The rules about the text itself: ASCII only, and no file to look for in a
// text that is compiled at run time. They give no meaning to any token.
#pragma once

#include <functional>
#include <string>

#include "simulator/dialect/finding.h"
#include "simulator/translate/token.h"

namespace flash_attn_mps::simulator {

// `source` is one file as written.
Findings check_ascii(const TokenizedText& source, bool in_comments);

// `preprocessed` is the whole text with its line markers; `is_own_file` tells
// the author's files from the headers that stand for Apple's.
Findings check_quoted_includes(
    const TokenizedText& preprocessed,
    const std::function<bool(const std::string&)>& is_own_file);

}  // namespace flash_attn_mps::simulator
