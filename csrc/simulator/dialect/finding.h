// SPDX-License-Identifier: MIT
// One thing in a Metal text that Apple's compiler would refuse, or that the
// project's dialect does not allow. No behaviour but the order of findings.
#pragma once

#include <string>
#include <tuple>
#include <vector>

namespace flash_attn_mps::simulator {

struct Finding {
  std::string file;
  int line = 0;
  std::string rule;      // short name, for example "recursion"
  std::string sentence;  // what is wrong and what to write instead

  bool operator==(const Finding&) const = default;
  bool operator<(const Finding& other) const {
    return std::tie(file, line, rule, sentence) <
           std::tie(other.file, other.line, other.rule, other.sentence);
  }
};

using Findings = std::vector<Finding>;

}  // namespace flash_attn_mps::simulator
