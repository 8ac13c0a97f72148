// SPDX-License-Identifier: MIT
// Holds the configured programs and checks the compiler's version.
#include "simulator/translate/toolchain.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <mutex>
#include <string_view>

#include "simulator/translate/process.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {
namespace {

// The release that the metal headers were written for and are tested with.
constexpr int kOldestClang = 22;
constexpr const char* kWhatToInstall =
    "Install it with: pip install 'ziglang>=0.17'";

struct Configuration {
  std::mutex mutex;
  Toolchain toolchain;
  std::string checked_clang;  // identity of the compiler known to be usable
};

Configuration& configuration() {
  static Configuration instance;
  return instance;
}

// "path/to/zig clang" names a program and its first argument. A path may hold
// blanks, so only the last word can be an argument, and only if the whole is
// no file.
std::vector<std::string> split_command(const std::string& command) {
  const std::size_t blank = command.rfind(' ');
  if (command.empty()) {
    return {};
  }
  if (blank == std::string::npos || access(command.c_str(), X_OK) == 0) {
    return {command};
  }
  return {command.substr(0, blank), command.substr(blank + 1)};
}

int major_version(std::string_view text) {
  static constexpr std::string_view kBefore = "clang version ";
  const std::size_t at = text.find(kBefore);
  int version = 0;
  if (at != text.npos) {
    const char* begin = text.data() + at + kBefore.size();
    std::from_chars(begin, text.data() + text.size(), version);
  }
  return version;
}

}  // namespace

Toolchain configured_toolchain() {
  const std::lock_guard lock(configuration().mutex);
  return configuration().toolchain;
}

std::string clang_identity(const Toolchain& toolchain) {
  struct stat status{};
  if (toolchain.clang.empty() ||
      stat(toolchain.clang.front().c_str(), &status) != 0) {
    return "";
  }
  return toolchain.clang.front() + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

void require_usable_clang(const Toolchain& toolchain) {
  const std::string required = "the simulator needs clang " +
                               std::to_string(kOldestClang) +
                               " or later to compile Metal text; got ";
  const std::string identity = clang_identity(toolchain);
  if (identity.empty()) {
    throw CompileError(
        required +
        (toolchain.clang.empty()
             ? std::string("none. ")
             : "'" + toolchain.clang.front() + "', which cannot be run. ") +
        kWhatToInstall);
  }
  const std::lock_guard lock(configuration().mutex);
  if (configuration().checked_clang == identity) {
    return;
  }
  std::vector<std::string> command = toolchain.clang;
  command.emplace_back("--version");
  const ProcessResult result = run_process(command);
  const int version = major_version(result.output);
  if (result.status != 0 || version < kOldestClang) {
    throw CompileError(required +
                       (version == 0
                            ? "'" + toolchain.clang.front() +
                                  "', which does not answer as clang. "
                            : "clang " + std::to_string(version) + ". ") +
                       kWhatToInstall);
  }
  configuration().checked_clang = identity;
}

}  // namespace flash_attn_mps::simulator

extern "C" void flash_attn_mps_simulator_configure(
    const char* clang_command,
    const char* lld_command,
    const char* python_executable) {
  namespace simulator = flash_attn_mps::simulator;
  const std::lock_guard lock(simulator::configuration().mutex);
  simulator::Toolchain& toolchain = simulator::configuration().toolchain;
  toolchain.clang = simulator::split_command(clang_command);
  toolchain.linker = simulator::split_command(lld_command);
  toolchain.python = python_executable;
}
