// SPDX-License-Identifier: MIT
// Runs one program to its end and collects what it wrote. No shell.
#pragma once

#include <string>
#include <vector>

namespace flash_attn_mps::simulator {

struct ProcessResult {
  int status = -1;  // exit code; 128 + signal; -1 if it could not start
  std::string output;
  std::string error;
};

ProcessResult run_process(const std::vector<std::string>& command);

}  // namespace flash_attn_mps::simulator
