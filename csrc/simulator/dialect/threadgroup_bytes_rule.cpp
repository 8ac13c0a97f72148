// SPDX-License-Identifier: MIT
// Adds up the calls that ask the runtime for threadgroup memory, function by
// function.
#include "simulator/dialect/threadgroup_bytes_rule.h"

#include <charconv>
#include <cstdint>
#include <sstream>
#include <string_view>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::int64_t kMostThreadgroupBytes = 32768;

// The second number of `call i64 @...threadgroup_variable...(i32 0, i64 n, `.
std::int64_t requested_bytes(std::string_view line) {
  constexpr std::string_view kFunction = "20threadgroup_variable";
  const std::size_t name = line.find(kFunction);
  const std::size_t open = line.find('(', name);
  if (name == line.npos || line.find(" call ") == line.npos ||
      open == line.npos) {
    return 0;
  }
  const std::size_t comma = line.find(", ", open);
  const std::size_t next = line.find(',', comma + 1);
  const std::size_t blank = line.rfind(' ', next);
  if (comma == line.npos || next == line.npos || blank < comma) {
    return 0;
  }
  std::int64_t bytes = 0;
  std::from_chars(line.data() + blank + 1, line.data() + next, bytes);
  return bytes;
}

// Whether a mangled name is that of a kernel: it holds the length and name.
bool names_kernel(std::string_view define, const KernelDeclaration& kernel) {
  const std::size_t scope = kernel.function.rfind(':');
  const std::string name = scope == std::string::npos
                               ? kernel.function
                               : kernel.function.substr(scope + 1);
  return define.find(std::to_string(name.size()) + name) != define.npos;
}

void report(std::string_view define,
            std::int64_t bytes,
            const std::vector<KernelDeclaration>& kernels,
            Findings& findings) {
  if (bytes <= kMostThreadgroupBytes) {
    return;
  }
  for (const KernelDeclaration& kernel : kernels) {
    if (names_kernel(define, kernel)) {
      findings.push_back({kernel.file,
                          kernel.line,
                          "threadgroup-bytes",
                          "kernel `" + kernel.function + "` declares " +
                              std::to_string(bytes) +
                              " bytes of threadgroup memory; there are " +
                              std::to_string(kMostThreadgroupBytes)});
      return;
    }
  }
}

}  // namespace

Findings check_threadgroup_bytes(
    const std::string& code,
    const std::vector<KernelDeclaration>& kernels) {
  Findings findings;
  std::istringstream lines(code);
  std::string define;
  std::int64_t bytes = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("define ")) {
      define = line;
      bytes = 0;
    } else if (line == "}") {
      report(define, bytes, kernels, findings);
    } else {
      bytes += requested_bytes(line);
    }
  }
  return findings;
}

}  // namespace flash_attn_mps::simulator
