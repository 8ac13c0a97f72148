// SPDX-License-Identifier: MIT
// Starts the preprocessor and words what it says.
#include "simulator/translate/preprocess.h"

#include <array>
#include <utility>

#include "simulator/translate/compile_command.h"
#include "simulator/translate/kernel_cache.h"
#include "simulator/translate/process.h"
#include "simulator/translate/toolchain.h"

namespace flash_attn_mps::simulator {

std::string in_metal_words(std::string text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4>
      kWords = {{{"__global ", "device "},
                 {"__constant ", "constant "},
                 {"__local ", "threadgroup "},
                 {"__private ", "thread "}}};
  for (const auto& [host, metal] : kWords) {
    for (std::size_t at = 0; (at = text.find(host, at)) != text.npos;) {
      text.replace(at, host.size(), metal);
    }
  }
  return text;
}

void report_compiler(const std::string& error, std::string_view step) {
  throw CompileError(error.empty() ? "the " + std::string(step) +
                                         " failed without a message."
                                   : in_metal_words(error));
}

// The first line names the author's file.
std::string preprocess(const CompileRequest& request) {
  const Toolchain toolchain = configured_toolchain();
  require_usable_clang(toolchain);
  const ScratchFolder scratch;
  const std::string input = scratch.path("source.metal");
  write_file(input, "#line 1 \"" + request.file_name + "\"\n" + request.source);
  const ProcessResult result = run_process(
      preprocess_command(toolchain, request, metal_headers_folder(), input));
  if (result.status != 0) {
    report_compiler(result.error, "preprocessor");
  }
  return result.output;
}

}  // namespace flash_attn_mps::simulator
