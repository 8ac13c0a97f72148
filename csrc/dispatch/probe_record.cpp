// SPDX-License-Identifier: MIT
// One small file for each description, named by its hash; the description
// inside decides, so that a collision is no false record.
#include "dispatch/probe_record.h"

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>

#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

namespace flash_attn_mps {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

#ifdef __APPLE__
std::string system_value(const char* name) {
  std::array<char, 256> text{};
  std::size_t size = text.size() - 1;
  if (sysctlbyname(name, text.data(), &size, nullptr, 0) != 0) {
    return "unknown";
  }
  return text.data();
}
#endif

std::string record_file(const std::string& folder,
                        const std::string& description) {
  std::ostringstream name;
  name << folder << "/probe-" << std::hex
       << std::hash<std::string>()(description) << ".txt";
  return name.str();
}

}  // namespace

std::string machine_description() {
  std::ostringstream text;
#ifdef __APPLE__
  text << "machine: " << system_value("machdep.cpu.brand_string") << "\n"
       << "model: " << system_value("hw.model") << "\n"
       << "macos: " << system_value("kern.osproductversion") << " "
       << system_value("kern.osversion") << "\n";
#else
  text << "machine: simulated\n";
#endif
  text << "torch: " << std::hex << aoti_torch_abi_version() << "\n";
  return text.str();
}

std::string probe_record_folder() {
  if (std::string folder = environment("FLASH_ATTN_MPS_CACHE_DIR");
      !folder.empty()) {
    return folder;
  }
#ifdef __APPLE__
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/" + "Library/Caches/flash_attn_mps";
#else
  if (std::string cache = environment("XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/flash_attn_mps";
  }
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/flash_attn_mps";
#endif
}

bool has_probe_record(const std::string& folder,
                      const std::string& description) {
  std::ifstream file;
  file.open(record_file(folder, description));
  std::ostringstream content;
  content << file.rdbuf();
  return file.is_open() && content.str() == description;
}

void write_probe_record(const std::string& folder,
                        const std::string& description) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const std::string path = record_file(folder, description);
  const std::string temporary = path + "." + std::to_string(getpid());
  std::ofstream file;
  file.open(temporary);
  file << description;
  file.close();
  if (file.fail() || std::rename(temporary.c_str(), path.c_str()) != 0) {
    static_cast<void>(std::remove(temporary.c_str()));
  }
}

}  // namespace flash_attn_mps
