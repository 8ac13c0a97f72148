// SPDX-License-Identifier: MIT
// Copies of bound buffers that lie far apart from each other while a checked
// kernel runs: an access outside of one must not land in another. Buffers that
// overlap keep doing so.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "simulator/execute/memory_region.h"

namespace flash_attn_mps::simulator {

class GuardedBuffers {
 public:
  // Moves the regions to copies, unless they are too large to be copied.
  explicit GuardedBuffers(std::span<MemoryRegion> regions);
  // Unmaps the copies.
  ~GuardedBuffers();
  GuardedBuffers(const GuardedBuffers&) = delete;
  GuardedBuffers& operator=(const GuardedBuffers&) = delete;

  // Writes back what may have been written, and moves the regions back.
  void restore();

 private:
  struct Moved {
    MemoryRegion* region;
    char* original;
  };

  std::vector<Moved> moved_;
  char* memory_ = nullptr;
  std::size_t reserved_bytes_ = 0;
};

}  // namespace flash_attn_mps::simulator
