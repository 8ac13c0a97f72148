// SPDX-License-Identifier: MIT
// The command lines of the three steps: preprocess, compile, link. Pure
// functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "simulator/translate/toolchain.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

using Command = std::vector<std::string>;

// "-mavx2 ..." for what this machine's CPU can do; part of every key.
Command cpu_flags();

Command preprocess_command(const Toolchain& toolchain,
                           const CompileRequest& request,
                           const std::string& headers_folder,
                           const std::string& input);

struct CompileFlags {
  Build build = Build::kFast;
  int optimization_level = 2;
  Command cpu;
};

Command compile_command(const Toolchain& toolchain,
                        const CompileFlags& flags,
                        const std::string& headers_folder,
                        const std::string& input,
                        const std::string& output);

enum class Printed {
  kSyntaxTree,
  kUnoptimizedCode,  // LLVM's text
};

// Prints what clang makes of the same text and compiles nothing.
Command print_command(const Toolchain& toolchain,
                      Printed printed,
                      const std::string& headers_folder,
                      const std::string& input);

Command link_command(const Toolchain& toolchain,
                     const std::string& input,
                     const std::string& output);

}  // namespace flash_attn_mps::simulator
