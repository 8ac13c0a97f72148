// SPDX-License-Identifier: MIT
// The state of one simdgroup while it runs: which lanes can move, which wait
// and where. Holds the rules of meeting, not the loop that runs simdgroups.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/metal_headers/runtime_abi.h"

namespace flash_attn_mps::simulator {

class Worker;

// Lanes are numbered here by the order in which they run, which a seed may
// permute; lane_mask() converts to lane numbers.
struct SimdgroupScheduler {
  std::array<LaneContext*, kSimdWidth> lanes{};
  std::uint32_t present = 0;   // lanes that exist
  std::uint32_t runnable = 0;  // present, not waiting, not finished
  std::uint32_t waiting = 0;
  std::uint32_t finished = 0;
  unsigned running = 0;
  // Of the first lane that waits now; is_mixed once another site joins.
  unsigned kind = 0;
  unsigned long site = 0;
  bool is_mixed = false;
  unsigned index = 0;
  SimdgroupContext* context = nullptr;
  Worker* worker = nullptr;

  std::uint32_t lane_mask(std::uint32_t order_mask) const;
  bool is_parked() const { return runnable == 0; }
};

inline Worker& worker_of(const LaneContext& lane) {
  return *static_cast<SimdgroupScheduler*>(lane.scheduler)->worker;
}

// Lanes that wait at the same call, as a mask in running order.
struct WaitingGroup {
  RendezvousKind kind;
  unsigned memory_flags;
  unsigned long site;
  std::uint32_t lanes;
};

// The lanes of a simdgroup that wait, grouped by call, lowest address first.
std::vector<WaitingGroup> waiting_groups(const SimdgroupScheduler& simdgroup);

// The calling lane waits at `site` and lets others run; returns when it may
// go on.
void wait_for_lanes(LaneContext& lane,
                    RendezvousKind kind,
                    unsigned memory_flags,
                    unsigned long site);

// The group's values are exchanged and its lanes become runnable.
void release_group(SimdgroupScheduler& simdgroup, const WaitingGroup& group);

// The calling lane has returned from the kernel.
[[noreturn]] void finish_lane(LaneContext& lane);

}  // namespace flash_attn_mps::simulator
