// SPDX-License-Identifier: MIT
// The fast path of a meeting: all lanes arrive at one call, the last one
// completes it and runs on. Everything else goes back to the worker's loop.
#include "simulator/execute/simdgroup_scheduler.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simulator/execute/fiber.h"
#include "simulator/execute/matrix_product.h"
#include "simulator/execute/worker.h"

namespace flash_attn_mps::simulator {
namespace {

constexpr std::uint32_t kAllLanes = 0xffffffffU;

unsigned next_runnable(const SimdgroupScheduler& simdgroup) {
  const std::uint32_t later =
      simdgroup.runnable & ((kAllLanes << simdgroup.running) << 1);
  return static_cast<unsigned>(
      std::countr_zero(later != 0 ? later : simdgroup.runnable));
}

void switch_to_lane(SimdgroupScheduler& simdgroup, void** saved) {
  simdgroup.running = next_runnable(simdgroup);
  switch_fiber(saved, simdgroup.lanes[simdgroup.running]->stack_pointer);
}

// All products of the simdgroup are computed when its 32 lanes meet.
bool drain_products(SimdgroupScheduler& simdgroup) {
  MatrixQueue& queue = simdgroup.context->matrices;
  const PostedProducts posted =
      posted_products(queue, simdgroup.lane_mask(simdgroup.present));
  if (posted.least != posted.most) {
    return false;
  }
  if (posted.most > 0) {
    simdgroup.worker->compute_products(simdgroup, posted.most);
    reset_products(queue);
  }
  return true;
}

void exchange_values(SimdgroupScheduler& simdgroup, std::uint32_t lanes) {
  Exchange& exchange = simdgroup.context->exchange;
  std::memcpy(exchange.result, exchange.deposit, sizeof exchange.result);
  exchange.active_lanes = lanes;
  exchange.is_reduced = 0;
}

bool can_complete(const SimdgroupScheduler& simdgroup) {
  return !simdgroup.is_mixed && simdgroup.waiting == simdgroup.present &&
         simdgroup.kind != kThreadgroupBarrier &&
         (simdgroup.kind != kMatrixMemory || simdgroup.present == kAllLanes);
}

bool complete_meeting(SimdgroupScheduler& simdgroup,
                      RendezvousKind kind,
                      unsigned memory_flags) {
  if (!drain_products(simdgroup)) {
    return false;
  }
  const std::uint32_t lanes = simdgroup.lane_mask(simdgroup.present);
  exchange_values(simdgroup, lanes);
  simdgroup.runnable = simdgroup.present;
  simdgroup.waiting = 0;
  simdgroup.worker->tell_meeting(
      {kind, memory_flags, simdgroup.index, lanes, simdgroup.site});
  return true;
}

}  // namespace

std::uint32_t SimdgroupScheduler::lane_mask(std::uint32_t order_mask) const {
  if (order_mask == kAllLanes) {
    return order_mask;
  }
  std::uint32_t mask = 0;
  for (unsigned order = 0; order < kSimdWidth; ++order) {
    if (((order_mask >> order) & 1U) != 0) {
      mask |= 1U << lanes[order]->thread_index_in_simdgroup;
    }
  }
  return mask;
}

std::vector<WaitingGroup> waiting_groups(const SimdgroupScheduler& simdgroup) {
  std::vector<WaitingGroup> groups;
  for (unsigned order = 0; order < kSimdWidth; ++order) {
    if (((simdgroup.waiting >> order) & 1U) == 0) {
      continue;
    }
    const LaneContext& lane = *simdgroup.lanes[order];
    const auto found =
        std::ranges::find(groups, lane.site, &WaitingGroup::site);
    if (found != groups.end()) {
      found->lanes |= 1U << order;
    } else {
      groups.push_back({static_cast<RendezvousKind>(lane.wait_kind),
                        lane.wait_flags,
                        lane.site,
                        1U << order});
    }
  }
  std::ranges::sort(groups, {}, &WaitingGroup::site);
  return groups;
}

void wait_for_lanes(LaneContext& lane,
                    RendezvousKind kind,
                    unsigned memory_flags,
                    unsigned long site) {
  auto& simdgroup = *static_cast<SimdgroupScheduler*>(lane.scheduler);
  const std::uint32_t bit = 1U << simdgroup.running;
  simdgroup.worker->tell_accesses(lane);
  lane.site = site;
  lane.wait_kind = kind;
  lane.wait_flags = memory_flags;
  if (simdgroup.waiting == 0) {
    simdgroup.kind = kind;
    simdgroup.site = site;
    simdgroup.is_mixed = false;
  } else if (simdgroup.site != site) {
    simdgroup.is_mixed = true;
  }
  simdgroup.waiting |= bit;
  simdgroup.runnable &= ~bit;
  if (simdgroup.runnable != 0) [[likely]] {
    switch_to_lane(simdgroup, &lane.stack_pointer);
    return;
  }
  if (can_complete(simdgroup) &&
      complete_meeting(simdgroup, kind, memory_flags)) {
    return;
  }
  simdgroup.worker->leave_simdgroup(&lane.stack_pointer);
}

void release_group(SimdgroupScheduler& simdgroup, const WaitingGroup& group) {
  const std::uint32_t lanes = simdgroup.lane_mask(group.lanes);
  exchange_values(simdgroup, lanes);
  simdgroup.waiting &= ~group.lanes;
  simdgroup.runnable |= group.lanes;
  simdgroup.is_mixed = simdgroup.waiting != 0;
  simdgroup.worker->tell_meeting(
      {group.kind, group.memory_flags, simdgroup.index, lanes, group.site});
}

void finish_lane(LaneContext& lane) {
  auto& simdgroup = *static_cast<SimdgroupScheduler*>(lane.scheduler);
  const std::uint32_t bit = 1U << simdgroup.running;
  simdgroup.worker->tell_accesses(lane);
  simdgroup.finished |= bit;
  simdgroup.runnable &= ~bit;
  if (simdgroup.runnable != 0) {
    switch_to_lane(simdgroup, &lane.stack_pointer);
  } else {
    simdgroup.worker->leave_simdgroup(&lane.stack_pointer);
  }
  __builtin_unreachable();
}

}  // namespace flash_attn_mps::simulator
