// SPDX-License-Identifier: MIT
// The cache folder and the metal headers in it.
#include "simulator/translate/kernel_cache.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "simulator/translate/content_hash.h"
#include "simulator/translate/embedded_headers.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMacros = "preprocessor_macros.h";

// What the preprocessor finds for Apple's headers; a name that is not here is
// searched in the caller's include paths.
constexpr std::array<std::string_view, 32> kAppleHeaders = {
    "metal_stdlib",        "metal_array",
    "metal_assert",        "metal_atomic",
    "metal_common",        "metal_compute",
    "metal_config",        "metal_geometric",
    "metal_graphics",      "metal_initializer_list",
    "metal_integer",       "metal_limits",
    "metal_logging",       "metal_math",
    "metal_matrix",        "metal_numeric",
    "metal_pack",          "metal_packed",
    "metal_quadgroup",     "metal_relational",
    "metal_simdgroup",     "metal_simdgroup_matrix",
    "metal_texture",       "metal_type_traits",
    "metal_types",         "metal_uniform",
    "metal_utility",       "metal_extended_vector",
    "simd/matrix_types.h", "simd/simd.h",
    "simd/types.h",        "simd/vector_types.h"};

// Behind the macros of a simd header: its names become visible.
constexpr std::string_view kSimdNames = "\nusing namespace metal_host_simd;\n";

std::string environment(const char* name) {
  // Nothing in the package changes the environment while threads run.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

std::string wanted_folder() {
  std::string own = environment("FLASH_ATTN_MPS_CACHE_DIR");
  if (!own.empty()) {
    return own;
  }
  const std::string user_cache = environment("XDG_CACHE_HOME");
  if (!user_cache.empty()) {
    return user_cache + "/flash_attn_mps";
  }
  const std::string home = environment("HOME");
  if (!home.empty()) {
    return home + "/.cache/flash_attn_mps";
  }
  const std::string own_name = "flash_attn_mps-" + std::to_string(getuid());
  return (fs::temp_directory_path() / own_name).string();
}

void write_headers(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder + "/host", error);
  fs::create_directories(folder + "/apple/simd", error);
  for (const std::string_view name : embedded_simulator_header_names()) {
    write_file(folder + "/host/" + std::string(name),
               embedded_simulator_header(name));
  }
  for (const std::string_view name : kAppleHeaders) {
    std::string text(embedded_simulator_header(kMacros));
    if (name.starts_with("simd/")) {
      text += kSimdNames;
    }
    write_file(folder + "/apple/" + std::string(name), text);
  }
}

}  // namespace

std::string cache_folder() {
  const std::string folder = wanted_folder();
  std::error_code error;
  fs::create_directories(folder, error);
  if (access(folder.c_str(), W_OK) != 0) {
    throw CompileError(
        "the simulator needs a writable folder for compiled "
        "kernels; got '" +
        folder +
        "'. Set FLASH_ATTN_MPS_CACHE_DIR to a folder that can "
        "be written.");
  }
  return folder;
}

ScratchFolder::ScratchFolder() {
  static std::atomic<unsigned> counter = 0;
  folder_ = cache_folder() + "/tmp-" + std::to_string(getpid()) + "-" +
            std::to_string(counter++);
  std::error_code error;
  fs::remove_all(folder_, error);
  fs::create_directories(folder_, error);
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

std::string ScratchFolder::path(std::string_view name) const {
  return folder_ + "/" + std::string(name);
}

void ScratchFolder::publish(const std::string& from,
                            const std::string& to) const {
  if (std::rename(from.c_str(), to.c_str()) != 0 &&
      access(to.c_str(), R_OK) != 0) {
    throw CompileError("the simulator cannot write '" + to +
                       "': check the free space of that disk.");
  }
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    throw CompileError("the simulator cannot write '" + path +
                       "': check the free space of that disk.");
  }
}

const std::string& metal_headers_hash() {
  static const std::string hash = [] {
    ContentHash content;
    for (const std::string_view name : embedded_simulator_header_names()) {
      content.add(name).add(embedded_simulator_header(name));
    }
    for (const std::string_view name : kAppleHeaders) {
      content.add(name);
    }
    content.add(kSimdNames);
    return content.finish();
  }();
  return hash;
}

std::string metal_headers_folder() {
  const std::string folder =
      cache_folder() + "/headers-" + metal_headers_hash().substr(0, 16);
  if (access(folder.c_str(), R_OK) != 0) {
    const ScratchFolder scratch;
    write_headers(scratch.path("headers"));
    scratch.publish(scratch.path("headers"), folder);
  }
  return folder;
}

}  // namespace flash_attn_mps::simulator
