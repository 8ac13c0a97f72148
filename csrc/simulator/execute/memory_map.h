// SPDX-License-Identifier: MIT
// Which buffer or threadgroup array an address belongs to. Judges nothing.
#pragma once

#include <cstdint>
#include <span>

#include "simulator/execute/memory_region.h"
#include "simulator/execute/threadgroup_memory.h"

namespace flash_attn_mps::simulator {

class MemoryMap {
 public:
  MemoryMap(std::span<MemoryRegion> buffers, ThreadgroupMemory& memory);

  // The region that contains the address, or null. Where bound buffers
  // overlap, a write belongs to one that may be written.
  MemoryRegion* find(const void* address, bool is_write);
  // The region whose end or start is nearest; null when there is none.
  const MemoryRegion* nearest(const void* address) const;

  void forget_threadgroup() { last_ = nullptr; }

 private:
  MemoryRegion* search(const void* address, bool is_write);

  std::span<MemoryRegion> buffers_;
  ThreadgroupMemory& memory_;
  MemoryRegion* last_ = nullptr;
};

}  // namespace flash_attn_mps::simulator
