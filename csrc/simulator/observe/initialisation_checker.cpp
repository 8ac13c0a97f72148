// SPDX-License-Identifier: MIT
// One shadow byte for each byte: zero until it is written.
#include "simulator/observe/initialisation_checker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simulator/execute/threadgroup_memory.h"

namespace flash_attn_mps::simulator {

InitialisationChecker::InitialisationChecker(DispatchState& state)
    : state_(state), threadgroup_(kThreadgroupMemoryBytes) {}

void InitialisationChecker::add_threadgroup_memory(MemoryRegion& region) {
  region.initialised = threadgroup_.data() + region.shadow_offset;
  std::fill_n(region.initialised, region.bytes, std::uint8_t{0});
}

void InitialisationChecker::access(const AccessBatch& batch) {
  for (const std::uint8_t index : batch.with_history) {
    const MemoryAccess& access = batch.accesses[index];
    if (access.region->initialised != nullptr) {
      check(batch.lane, access);
    }
  }
}

// Threadgroups on different cores may write neighbouring bytes of a buffer's
// shadow, and race on the same byte where the kernel does: hence atomic.
void InitialisationChecker::check(const LaneContext& lane,
                                  const MemoryAccess& access) {
  std::uint8_t* shadow = access.region->initialised;
  const std::size_t end = access.offset + access.bytes;
  const bool is_store = access.kind == AccessKind::kWrite ||
                        access.kind == AccessKind::kAtomicStore;
  for (std::size_t at = access.offset; at < end; ++at) {
    if (is_store) {
      __atomic_store_n(shadow + at, std::uint8_t{1}, __ATOMIC_RELAXED);
    } else if (__atomic_load_n(shadow + at, __ATOMIC_RELAXED) == 0) {
      report(lane, access, at);
      break;
    }
  }
  if (access.kind == AccessKind::kAtomicUpdate) {
    std::fill_n(shadow + access.offset, access.bytes, std::uint8_t{1});
  }
}

void InitialisationChecker::report(const LaneContext& lane,
                                   const MemoryAccess& access,
                                   std::size_t offset) {
  if (!state_.reports.is_new(
          ViolationKind::kUninitialised, access.site, /*is_note=*/false)) {
    return;
  }
  Violation violation =
      violation_of_lane(state_,
                        ViolationKind::kUninitialised,
                        lane,
                        access.site,
                        "a read of " + std::to_string(access.bytes) +
                            " bytes, of which some have never been written");
  name_memory(*access.region, static_cast<std::int64_t>(offset), violation);
  state_.reports.add_violation(std::move(violation));
}

}  // namespace flash_attn_mps::simulator
