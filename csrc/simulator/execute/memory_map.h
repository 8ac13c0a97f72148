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
    MemoryRegion*& last = last_found(site);
    if (!is_hit(last, address, bytes, is_write)) {
      last = search(address, bytes, is_write);
    }
    return last;
  }
  // What find() gave the instruction last, or null.
  MemoryRegion*& last_found(std::uintptr_t site) {
    return last_by_site_[site % last_by_site_.size()];
  }
  // The region whose end or start is nearest; null when there is none.
  const MemoryRegion* nearest(const void* address) const;

  void forget_threadgroup() { last_by_site_.fill(nullptr); }

 private:
  static bool is_hit(const MemoryRegion* region,
                     const void* address,
                     std::size_t bytes,
                     bool is_write) {
    return region != nullptr && region->contains(address, bytes) &&
           (region->is_writable || !is_write);
  }
  MemoryRegion* search(const void* address, std::size_t bytes, bool is_write);

  std::vector<MemoryRegion*> buffers_;  // those that are bound
  ThreadgroupMemory& memory_;
  std::array<MemoryRegion*, 512> last_by_site_{};
};

}  // namespace flash_attn_mps::simulator
