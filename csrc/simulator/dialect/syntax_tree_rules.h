// SPDX-License-Identifier: MIT
// The rules of the dialect that need types and references: address spaces,
// recursion, globals, conversions to and from bfloat, vector conditions. They
// read clang's syntax tree of the text that the front end has translated.
#pragma once

#include <set>
#include <string>

#include "simulator/dialect/finding.h"
#include "simulator/dialect/syntax_tree.h"
#include "simulator/translate/token.h"

namespace flash_attn_mps::simulator {

// Which conversions to and from bfloat have to be written out. Metal converts
// bfloat to float by itself and refuses bfloat from float or half, and half
// from bfloat (a comment in mlx 0.32.4, backend/metal/kernels/bf16_math.h).
enum class BfloatConversions { kAsMetal, kAllExplicit };

// `source` is the preprocessed text before the translation: it tells what the
// author wrote where the translation has dropped an address space.
Findings check_syntax_tree(const SyntaxTree& tree,
                           const TokenizedText& source,
                           const std::set<std::string>& own_files,
                           BfloatConversions conversions);

// Every name that the files declare themselves.
std::set<std::string> declared_names(const SyntaxTree& tree,
                                     const std::set<std::string>& own_files);

}  // namespace flash_attn_mps::simulator
