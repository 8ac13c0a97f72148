// SPDX-License-Identifier: MIT
// Anonymous memory from mmap.
#include "simulator/observe/zeroed_pages.h"

#include <sys/mman.h>

#include <new>

namespace flash_attn_mps::simulator {

ZeroedPages::ZeroedPages(std::size_t bytes) : bytes_(bytes) {
  data_ = mmap(nullptr,
               bytes,
               PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
               -1,
               0);
  if (data_ == MAP_FAILED) {
    throw std::bad_alloc();
  }
}

ZeroedPages::~ZeroedPages() {
  munmap(data_, bytes_);
}

}  // namespace flash_attn_mps::simulator
