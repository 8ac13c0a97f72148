// SPDX-License-Identifier: MIT
// Threadgroup memory of one worker: hands out the arrays of the running
// threadgroup and enforces the device's limit. Knows no checker.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "simulator/execute/memory_region.h"

namespace flash_attn_mps::simulator {

inline constexpr std::size_t kThreadgroupMemoryBytes = 32768;
inline constexpr std::size_t kMaxThreadgroupVariables = 256;

class ThreadgroupMemory {
 public:
  // `guard_bytes` stay unused behind every array.
  ThreadgroupMemory();

  void begin_threadgroup(std::size_t guard_bytes);

  // Null when the limit is exceeded; used_bytes() then tells by how much.
  MemoryRegion* add(std::size_t bytes,
                    std::size_t alignment,
                    const char* name,
                    int index);

  // The array of a declaration, or null before its first use.
  MemoryRegion* variable(unsigned site) const { return variables_[site]; }
  void set_variable(unsigned site, MemoryRegion* region) {
    variables_[site] = region;
  }

  std::size_t used_bytes() const { return used_bytes_; }
  const std::deque<MemoryRegion>& regions() const { return regions_; }
  // The array that contains an address, or null.
  MemoryRegion* find(const void* address);
  bool is_near(const void* address) const;
  const MemoryRegion* nearest(const void* address) const;

  // The bytes in use, guards included.
  std::span<char> storage();

 private:
  char* aligned_start();

  std::vector<char> arena_;
  std::deque<MemoryRegion> regions_;
  std::array<MemoryRegion*, kMaxThreadgroupVariables> variables_{};
  std::size_t guard_bytes_ = 0;
  std::size_t used_bytes_ = 0;   // as the device counts
  std::size_t next_offset_ = 0;  // guards included
};

}  // namespace flash_attn_mps::simulator
