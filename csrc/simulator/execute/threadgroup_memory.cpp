// SPDX-License-Identifier: MIT
// A bump allocator over one arena, emptied by every threadgroup.
#include "simulator/execute/threadgroup_memory.h"

#include <algorithm>
#include <cstdint>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::size_t kArenaAlignment = 128;
constexpr std::size_t kMaxGuardBytes = 256;
constexpr std::size_t kArenaBytes =
    2 * kThreadgroupMemoryBytes +
    (kMaxThreadgroupVariables + 2) * (kMaxGuardBytes + kArenaAlignment);

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

ThreadgroupMemory::ThreadgroupMemory() : arena_(kArenaBytes) {}

void ThreadgroupMemory::begin_threadgroup(std::size_t guard_bytes) {
  guard_bytes_ = std::min(guard_bytes, kMaxGuardBytes);
  used_bytes_ = 0;
  next_offset_ = guard_bytes_;
  regions_.clear();
  variables_.fill(nullptr);
}

MemoryRegion* ThreadgroupMemory::add(std::size_t bytes,
                                     std::size_t alignment,
                                     const char* name,
                                     int index) {
  const std::size_t alignment_used =
      std::clamp<std::size_t>(alignment, 1, kArenaAlignment);
  used_bytes_ = round_up(used_bytes_, alignment_used) + bytes;
  if (used_bytes_ > kThreadgroupMemoryBytes ||
      regions_.size() >= kMaxThreadgroupVariables) {
    return nullptr;
  }
  const std::size_t offset = round_up(next_offset_, alignment_used);
  next_offset_ = offset + bytes + guard_bytes_;
  return &regions_.emplace_back(
      MemoryRegion{.address = aligned_start() + offset,
                   .bytes = bytes,
                   .space = MemorySpace::kThreadgroup,
                   .index = index,
                   .is_writable = true,
                   .name = name,
                   .initialised = nullptr,
                   .shadow_offset = used_bytes_ - bytes});
}

MemoryRegion* ThreadgroupMemory::find(const void* address) {
  const auto found =
      std::ranges::find_if(regions_, [address](const MemoryRegion& region) {
        return region.contains(address);
      });
  return found == regions_.end() ? nullptr : &*found;
}

bool ThreadgroupMemory::is_near(const void* address) const {
  return reinterpret_cast<std::uintptr_t>(address) -
             reinterpret_cast<std::uintptr_t>(arena_.data()) <
         arena_.size();
}

const MemoryRegion* ThreadgroupMemory::nearest(const void* address) const {
  const MemoryRegion* best = nullptr;
  for (const MemoryRegion& region : regions_) {
    if (best == nullptr || region.address <= address) {
      best = &region;
    }
  }
  return best;
}

std::span<char> ThreadgroupMemory::storage() {
  return {
      aligned_start(),
      std::min(next_offset_ + guard_bytes_, arena_.size() - kArenaAlignment)};
}

char* ThreadgroupMemory::aligned_start() {
  const auto address = reinterpret_cast<std::uintptr_t>(arena_.data());
  return arena_.data() + (round_up(address, kArenaAlignment) - address);
}

}  // namespace flash_attn_mps::simulator
