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
    : buffers_(buffers), memory_(memory) {}

MemoryRegion* MemoryMap::find(const void* address, bool is_write) {
  if (last_ != nullptr && last_->contains(address) &&
      (last_->is_writable || !is_write)) {
    return last_;
  }
  MemoryRegion* found = search(address, is_write);
  last_ = found == nullptr ? last_ : found;
  return found;
}

MemoryRegion* MemoryMap::search(const void* address, bool is_write) {
  if (memory_.is_near(address)) {
    return memory_.find(address);
  }
  MemoryRegion* best = nullptr;
  for (MemoryRegion& region : buffers_) {
    if (region.address != nullptr && region.contains(address) &&
        (best == nullptr || (is_write && !best->is_writable))) {
      best = &region;
    }
  }
  return best;
}

const MemoryRegion* MemoryMap::nearest(const void* address) const {
  const MemoryRegion* best = nullptr;
  const auto consider = [&](const MemoryRegion& region) {
    if (region.address != nullptr &&
        (best == nullptr ||
         distance(region, address) < distance(*best, address))) {
      best = &region;
    }
  };
  if (memory_.is_near(address)) {
    std::ranges::for_each(memory_.regions(), consider);
  } else {
    std::ranges::for_each(buffers_, consider);
  }
  return best;
}

}  // namespace flash_attn_mps::simulator
