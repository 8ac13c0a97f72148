// SPDX-License-Identifier: MIT
// Which buffer or threadgroup array an address belongs to. Judges nothing.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simulator/execute/memory_region.h"
#include "simulator/execute/threadgroup_memory.h"

namespace flash_attn_mps::simulator {

class MemoryMap {
 public:
  MemoryMap(std::span<MemoryRegion> buffers, ThreadgroupMemory& memory);

  // The region that contains the address, or null. Where bound buffers
  // overlap, a write belongs to one that may be written.
  MemoryRegion* find(const void* address, bool is_write) {
    if (is_hit(last_, address, is_write)) {
      return last_;
    }
    if (is_hit(before_last_, address, is_write)) {
      std::swap(last_, before_last_);
      return last_;
    }
    MemoryRegion* found = search(address, is_write);
    if (found != nullptr) {
      before_last_ = last_;
      last_ = found;
    }
    return found;
  }
  // The region whose end or start is nearest; null when there is none.
  const MemoryRegion* nearest(const void* address) const;

  void forget_threadgroup() {
    last_ = nullptr;
    before_last_ = nullptr;
  }

 private:
  static bool is_hit(const MemoryRegion* region,
                     const void* address,
                     bool is_write) {
    return region != nullptr && region->contains(address) &&
           (region->is_writable || !is_write);
  }
  MemoryRegion* search(const void* address, bool is_write);

  std::vector<MemoryRegion*> buffers_;  // those that are bound
  ThreadgroupMemory& memory_;
  // The last two regions hit: kernels alternate between two operands.
  MemoryRegion* last_ = nullptr;
  MemoryRegion* before_last_ = nullptr;
};

}  // namespace flash_attn_mps::simulator
