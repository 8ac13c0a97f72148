// SPDX-License-Identifier: MIT
// The folder of compiled kernels on disk. Files are named by a content hash
// and appear whole: they are written under another name and renamed, so
// processes that compile the same kernel at once do no harm.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flash_attn_mps::simulator {

// FLASH_ATTN_MPS_CACHE_DIR, or flash_attn_mps in the user's cache folder.
// Creates it; throws CompileError if that cannot be done.
std::string cache_folder();

// A folder of its own for one compilation, removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  std::string path(std::string_view name) const;
  const std::string& folder() const { return folder_; }
  // Moves a file or folder to its final place; what is there already stays.
  void publish(const std::string& from, const std::string& to) const;

 private:
  std::string folder_;
};

// Throws CompileError if the file cannot be written.
void write_file(const std::string& path, std::string_view text);

// Hash of the simulator's Metal headers.
const std::string& metal_headers_hash();
// Folder that holds them: "host" for translated text, "apple" for the
// preprocessor. Written on first use.
std::string metal_headers_folder();

}  // namespace flash_attn_mps::simulator
