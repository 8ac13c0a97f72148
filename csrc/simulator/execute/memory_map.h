// SPDX-License-Identifier: MIT
// Which buffer or threadgroup array an address belongs to. Judges nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/execute/memory_region.h"
#include "simulator/execute/threadgroup_memory.h"

namespace flash_attn_mps::simulator {

class MemoryMap {
 public:
  MemoryMap(std::span<MemoryRegion> buffers, ThreadgroupMemory& memory);

  // The region that contains the address, or null. Where bound buffers
  // overlap, one that contains the whole access, and for a write one that may
  // be written. An instruction, named by its site, mostly finds the region that
  // it found last.
  MemoryRegion* find(const void* address,
                     std::size_t bytes,
                     bool is_write,
                     std::uintptr_t site) {
    MemoryRegion* found = find_last(address, bytes, is_write, site);
    if (found == nullptr) {
      found = search(address, bytes, is_write);
      last_by_site_[site % last_by_site_.size()] = found;
    }
    return found;
  }
  // What find() gave the instruction last, if it allows this access too;
  // otherwise null.
  MemoryRegion* find_last(const void* address,
                          std::size_t bytes,
                          bool is_write,
                          std::uintptr_t site) const {
    MemoryRegion* last = last_by_site_[site % last_by_site_.size()];
    const bool is_hit = last != nullptr && last->contains(address, bytes) &&
                        (last->is_writable || !is_write);
    return is_hit ? last : nullptr;
  }
  // The region whose end or start is nearest; null when there is none.
  const MemoryRegion* nearest(const void* address) const;

  void forget_threadgroup() { last_by_site_.fill(nullptr); }

 private:
  MemoryRegion* search(const void* address, std::size_t bytes, bool is_write);

  std::vector<MemoryRegion*> buffers_;  // those that are bound
  ThreadgroupMemory& memory_;
  std::array<MemoryRegion*, 512> last_by_site_{};
};

}  // namespace flash_attn_mps::simulator
