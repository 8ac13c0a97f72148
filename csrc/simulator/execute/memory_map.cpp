// SPDX-License-Identifier: MIT
// A search over few regions, the last hit first.
#include "simulator/execute/memory_map.h"

#include <algorithm>

namespace flash_attn_mps::simulator {
namespace {

std::uintptr_t distance(const MemoryRegion& region, const void* address) {
  const auto point = reinterpret_cast<std::uintptr_t>(address);
  const auto first = reinterpret_cast<std::uintptr_t>(region.address);
  const std::uintptr_t end = first + region.bytes;
  return point < first ? first - point : point - std::min(point, end);
}

}  // namespace

MemoryMap::MemoryMap(std::span<MemoryRegion> buffers, ThreadgroupMemory& memory)
    : memory_(memory) {
  for (MemoryRegion& buffer : buffers) {
    if (buffer.address != nullptr) {
      buffers_.push_back(&buffer);
    }
  }
}

MemoryRegion* MemoryMap::search(const void* address,
                                std::size_t bytes,
                                bool is_write) {
  if (memory_.is_near(address)) {
    return memory_.find(address);
  }
  MemoryRegion* best = nullptr;
  unsigned best_fit = 0;
  for (MemoryRegion* region : buffers_) {
    if (!region->contains(address)) {
      continue;
    }
    const unsigned fit = 1U + (region->contains(address, bytes) ? 2U : 0U) +
                         (region->is_writable || !is_write ? 1U : 0U);
    if (fit > best_fit) {
      best = region;
      best_fit = fit;
    }
  }
  return best;
}

const MemoryRegion* MemoryMap::nearest(const void* address) const {
  const MemoryRegion* best = nullptr;
  const auto consider = [&](const MemoryRegion& region) {
    if (best == nullptr ||
        distance(region, address) < distance(*best, address)) {
      best = &region;
    }
  };
  if (memory_.is_near(address)) {
    std::ranges::for_each(memory_.regions(), consider);
  } else {
    std::ranges::for_each(
        buffers_, [&](const MemoryRegion* region) { consider(*region); });
  }
  return best;
}

}  // namespace flash_attn_mps::simulator
