// SPDX-License-Identifier: MIT
// One reservation per dispatch; only the pages of the copies take memory.
#include "simulator/execute/guarded_buffers.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace flash_attn_mps::simulator {
namespace {

// Larger than the distance at which a wrong index usually lands.
constexpr std::size_t kGapBytes = std::size_t{1} << 26;
constexpr std::size_t kMostCopiedBytes = std::size_t{1} << 28;
// The copy of a buffer is aligned as the buffer is, up to this.
constexpr std::size_t kAlignment = 128;

// Buffers that overlap or touch, as one range of the caller's memory.
struct Range {
  char* first;
  char* end;
  std::vector<MemoryRegion*> regions;
};

std::vector<Range> disjoint_ranges(std::span<MemoryRegion> regions) {
  std::vector<MemoryRegion*> sorted;
  for (MemoryRegion& region : regions) {
    if (region.address != nullptr && region.bytes > 0) {
      sorted.push_back(&region);
    }
  }
  std::ranges::sort(sorted, {}, &MemoryRegion::address);
  std::vector<Range> ranges;
  for (MemoryRegion* region : sorted) {
    char* end = region->address + region->bytes;
    if (ranges.empty() || region->address >= ranges.back().end) {
      ranges.push_back({region->address, end, {}});
    }
    ranges.back().end = std::max(ranges.back().end, end);
    ranges.back().regions.push_back(region);
  }
  return ranges;
}

std::size_t total_bytes(const std::vector<Range>& ranges) {
  std::size_t bytes = 0;
  for (const Range& range : ranges) {
    bytes += static_cast<std::size_t>(range.end - range.first);
  }
  return bytes;
}

char* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr,
                      bytes,
                      PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1,
                      0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  return static_cast<char*>(memory);
}

char* aligned_as(char* place, const char* original) {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  const auto wanted = reinterpret_cast<std::uintptr_t>(original) % kAlignment;
  return place + (wanted + kAlignment - at % kAlignment) % kAlignment;
}

}  // namespace

GuardedBuffers::GuardedBuffers(std::span<MemoryRegion> regions) {
  const std::vector<Range> ranges = disjoint_ranges(regions);
  const std::size_t copied_bytes = total_bytes(ranges);
  if (ranges.empty() || copied_bytes > kMostCopiedBytes) {
    return;
  }
  reserved_bytes_ =
      copied_bytes + (ranges.size() + 1) * (kGapBytes + 2 * kAlignment);
  memory_ = reserve(reserved_bytes_);
  char* place = memory_ + kGapBytes;
  for (const Range& range : ranges) {
    char* copy = aligned_as(place, range.first);
    std::memcpy(
        copy, range.first, static_cast<std::size_t>(range.end - range.first));
    for (MemoryRegion* region : range.regions) {
      moved_.push_back({region, region->address});
      region->address = copy + (region->address - range.first);
    }
    place = copy + (range.end - range.first) + kGapBytes;
  }
}

void GuardedBuffers::restore() {
  for (const Moved& moved : moved_) {
    MemoryRegion& region = *moved.region;
    if (region.is_writable) {
      std::memcpy(moved.original, region.address, region.bytes);
    }
    region.address = moved.original;
  }
  moved_.clear();
}

GuardedBuffers::~GuardedBuffers() {
  if (memory_ != nullptr) {
    munmap(memory_, reserved_bytes_);
  }
}

}  // namespace flash_attn_mps::simulator
