// SPDX-License-Identifier: MIT
// The programs that the simulator starts: clang, the linker and (for reports)
// Python. Set once by whoever loads the library; nothing is searched for.
#pragma once

#include <string>
#include <vector>

namespace flash_attn_mps::simulator {

struct Toolchain {
  std::vector<std::string> clang;  // program and first arguments
  std::vector<std::string> linker;
  std::string python;
};

// A snapshot of what flash_attn_mps_simulator_configure was given.
Toolchain configured_toolchain();

// Throws CompileError, in one sentence that says what to install, if clang is
// missing or too old. Starts it at most once in a process.
void require_usable_clang(const Toolchain& toolchain);

// Changes when the compiler's file changes; starts no process.
std::string clang_identity(const Toolchain& toolchain);

}  // namespace flash_attn_mps::simulator

extern "C" void flash_attn_mps_simulator_configure(
    const char* clang_command,
    const char* lld_command,
    const char* python_executable);
