// SPDX-License-Identifier: MIT
// The files that a Metal text may include, found without a preprocessor:
// conditions are ignored, so the set may be larger than what is compiled.
#pragma once

#include <string>
#include <vector>

namespace flash_attn_mps::simulator {

struct IncludedFile {
  std::string path;
  std::string text;
};

// Sorted by path. What is not found is left out: the compiler names it.
std::vector<IncludedFile> include_closure(
    const std::string& source,
    const std::vector<std::string>& include_paths);

// Empty if the file cannot be read.
std::string read_file(const std::string& path);

}  // namespace flash_attn_mps::simulator
