// SPDX-License-Identifier: MIT
// Reserves and commits the region of one worker with mmap and mprotect.
#include "simulator/execute/stack_region.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <system_error>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::size_t kRegionAlignment = std::size_t{1} << kRegionBytesLog2;
constexpr std::size_t kStackBytes = std::size_t{1} << kStackBytesLog2;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kSlots = kFirstStackSlot + kMaxThreadsPerThreadgroup;
constexpr std::size_t kRegionBytes = kSlots * kStackBytes;
constexpr std::size_t kHeaderBytes = kFirstStackSlot * kStackBytes;
constexpr std::size_t kThreadgroupOffset =
    (kSlots * sizeof(LaneContext) + kPageBytes - 1) / kPageBytes * kPageBytes;
constexpr std::size_t kSimdgroupOffset = kThreadgroupOffset + kPageBytes;
static_assert(kSimdgroupOffset + kMaxSimdgroups * sizeof(SimdgroupContext) <=
                  kHeaderBytes,
              "contexts and queues fit below the first stack");
static_assert(kRegionBytes <= kRegionAlignment, "one region, one alignment");

[[noreturn]] void throw_out_of_memory() {
  throw std::system_error(errno,
                          std::generic_category(),
                          "simulator: cannot reserve memory for the stacks");
}

void make_writable(char* address, std::size_t bytes) {
  if (mprotect(address, bytes, PROT_READ | PROT_WRITE) != 0) {
    throw_out_of_memory();
  }
}

}  // namespace

StackRegion::StackRegion() {
  constexpr std::size_t kReserved = 2 * kRegionAlignment;
  void* reserved = mmap(nullptr,
                        kReserved,
                        PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                        -1,
                        0);
  if (reserved == MAP_FAILED) {
    throw_out_of_memory();
  }
  auto* first = static_cast<char*>(reserved);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const std::size_t skipped =
      (kRegionAlignment - address % kRegionAlignment) % kRegionAlignment;
  base_ = first + skipped;
  if (skipped > 0) {
    munmap(first, skipped);
  }
  // The whole aligned window stays reserved, although the stacks end before it
  // does: were another mapping to land in it, the access callbacks would take
  // that memory for private.
  munmap(base_ + kRegionAlignment, kReserved - skipped - kRegionAlignment);
  make_writable(base_, kHeaderBytes);
}

StackRegion::~StackRegion() {
  munmap(base_, kRegionAlignment);
}

void StackRegion::commit(unsigned lanes) {
  for (; committed_lanes_ < lanes; ++committed_lanes_) {
    char* slot = base_ + (kFirstStackSlot + committed_lanes_) * kStackBytes;
    make_writable(slot + kPageBytes, kStackBytes - kPageBytes);
  }
}

LaneContext& StackRegion::lane(unsigned index) const {
  return reinterpret_cast<LaneContext*>(base_)[kFirstStackSlot + index];
}

SimdgroupContext& StackRegion::simdgroup(unsigned index) const {
  return reinterpret_cast<SimdgroupContext*>(base_ + kSimdgroupOffset)[index];
}

ThreadgroupContext& StackRegion::threadgroup() const {
  return *reinterpret_cast<ThreadgroupContext*>(base_ + kThreadgroupOffset);
}

void* StackRegion::stack_bottom(unsigned lane) const {
  return base_ + (kFirstStackSlot + lane) * kStackBytes + kPageBytes;
}

// Tops differ in page number and in cache line, so that neither the TLB nor
// the first-level cache sees all lanes' frames in one set.
void* StackRegion::stack_top(unsigned lane) const {
  const std::size_t offset =
      (lane % 16) * kPageBytes + (lane * 5 % 64) * std::size_t{64};
  return base_ + (kFirstStackSlot + lane + 1) * kStackBytes - offset;
}

std::size_t StackRegion::bytes() {
  return kRegionBytes;
}

}  // namespace flash_attn_mps::simulator
