// SPDX-License-Identifier: MIT
// A large array of zeros that takes memory only where it is written: shadows
// of buffers that may span gigabytes.
#pragma once

#include <cstddef>

namespace flash_attn_mps::simulator {

class ZeroedPages {
 public:
  explicit ZeroedPages(std::size_t bytes);
  ~ZeroedPages();
  ZeroedPages(const ZeroedPages&) = delete;
  ZeroedPages& operator=(const ZeroedPages&) = delete;

  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace flash_attn_mps::simulator
