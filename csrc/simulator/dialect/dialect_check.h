// SPDX-License-Identifier: MIT
// The dialect check as a whole: what Apple's compiler would refuse in a Metal
// text, and on request what this project's own kernels refrain from. It runs
// nothing of the text.
#pragma once

#include <string>
#include <vector>

#include "simulator/dialect/finding.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

enum class TextOrigin {
  kFile,     // compiled ahead of time: quoted includes are searched
  kRunTime,  // handed to a device as one string: there is nothing to search
};

struct DialectRequest {
  CompileRequest program;
  TextOrigin origin = TextOrigin::kFile;
  // Names of Metal known to exist. If there are any, the strict rules hold: no
  // other name, ASCII in comments, every conversion of bfloat explicit.
  std::vector<std::string> known_names;
};

// Sorted and without duplicates. Throws CompileError only if the compiler
// itself cannot be used.
Findings check_dialect(const DialectRequest& request);

}  // namespace flash_attn_mps::simulator
