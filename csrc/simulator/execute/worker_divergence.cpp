// SPDX-License-Identifier: MIT
// What a worker does when no lane of a simdgroup can move: legal meetings of
// the active lanes are completed call by call, everything else ends in a
// report, so that no kernel hangs.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "simulator/execute/matrix_product.h"
#include "simulator/execute/worker.h"

namespace flash_attn_mps::simulator {
namespace {

const char* call_name(RendezvousKind kind) {
  switch (kind) {
    case kThreadgroupBarrier:
      return "threadgroup_barrier";
    case kSimdgroupBarrier:
      return "simdgroup_barrier";
    case kReduction:
      return "reduction";
    case kVote:
      return "vote";
    case kShuffle:
    case kFilling:
      return "shuffle";
    case kMatrixRead:
      return "read of a matrix product";
    case kMatrixMemory:
      return "simdgroup_load or simdgroup_store";
  }
  return "call";
}

bool is_for_active_lanes(RendezvousKind kind) {
  return kind == kReduction || kind == kVote || kind == kShuffle ||
         kind == kFilling;
}

}  // namespace

bool Worker::resolve(SimdgroupScheduler& simdgroup) {
  const std::vector<WaitingGroup> groups = waiting_groups(simdgroup);
  const auto is_movable = [](const WaitingGroup& group) {
    return group.kind != kThreadgroupBarrier;
  };
  if (std::ranges::none_of(groups, is_movable)) {
    return false;
  }
  const PostedProducts posted = posted_products(
      simdgroup.context->matrices, simdgroup.lane_mask(simdgroup.present));
  const bool is_single_meeting =
      groups.size() == 1 && groups.front().lanes == simdgroup.present;
  if (is_single_meeting && posted.least != posted.most) {
    fail_products(simdgroup);
    return false;
  }
  if (posted.most > simdgroup.context->matrices.drained &&
      simdgroup.present != 0xffffffffU) {
    fail_products(simdgroup);
    return false;
  }
  return resolve_matrix_read(simdgroup) || resolve_meeting(simdgroup, groups);
}

// Lanes read results in divergent flow. What all lanes have posted can be
// computed although some have posted more (Note [Matrix queue]).
bool Worker::resolve_matrix_read(SimdgroupScheduler& simdgroup) {
  MatrixQueue& queue = simdgroup.context->matrices;
  const PostedProducts posted =
      posted_products(queue, simdgroup.lane_mask(simdgroup.present));
  std::uint32_t readers = 0;
  for (unsigned order = 0; order < kSimdWidth; ++order) {
    const LaneContext& lane = *simdgroup.lanes[order];
    const bool is_waiting = ((simdgroup.waiting >> order) & 1U) != 0;
    if (is_waiting && lane.wait_kind == kMatrixRead &&
        queue.posted[lane.thread_index_in_simdgroup] <= posted.least) {
      readers |= 1U << order;
    }
  }
  if (readers == 0) {
    return false;
  }
  if (posted.least > queue.drained) {
    compute_products(simdgroup, posted.least);
  }
  if (posted.least == posted.most) {
    reset_products(queue);
  }
  simdgroup.waiting &= ~readers;
  simdgroup.runnable |= readers;
  return true;
}

bool Worker::resolve_meeting(SimdgroupScheduler& simdgroup,
                             const std::vector<WaitingGroup>& groups) {
  for (const WaitingGroup& group : groups) {
    const bool is_complete =
        group.lanes == simdgroup.present && group.kind != kThreadgroupBarrier &&
        (group.kind != kMatrixMemory || simdgroup.present == 0xffffffffU);
    if (is_complete) {
      release_group(simdgroup, group);
      return true;
    }
    if (is_for_active_lanes(group.kind)) {
      note_divergence(simdgroup, group);
      release_group(simdgroup, group);
      return true;
    }
  }
  for (const WaitingGroup& group : groups) {
    if (group.kind == kMatrixRead) {
      fail_products(simdgroup);
      return false;
    }
    if (group.kind == kSimdgroupBarrier || group.kind == kMatrixMemory) {
      fail(simdgroup,
           group,
           std::string(call_name(group.kind)) +
               " is not reached by all lanes of its simdgroup");
      return false;
    }
  }
  return false;
}

void Worker::note_divergence(const SimdgroupScheduler& simdgroup,
                             const WaitingGroup& group) {
  if (!state_.request->kernel->is_checked()) {
    return;
  }
  const auto order = static_cast<unsigned>(std::countr_zero(group.lanes));
  Violation note = violation_of_lane(
      state_,
      ViolationKind::kDivergence,
      *simdgroup.lanes[order],
      group.site,
      std::string("a ") + call_name(group.kind) + " in divergent flow took " +
          std::to_string(std::popcount(group.lanes)) + " active lanes of " +
          std::to_string(std::popcount(simdgroup.present)));
  state_.reports.add_note(std::move(note));
}

void Worker::fail(const SimdgroupScheduler& simdgroup,
                  const WaitingGroup& group,
                  std::string what) {
  const auto order = static_cast<unsigned>(std::countr_zero(group.lanes));
  what += ": " + std::to_string(std::popcount(group.lanes)) +
          " lanes wait here, " +
          std::to_string(std::popcount(simdgroup.waiting & ~group.lanes)) +
          " at another call, " +
          std::to_string(std::popcount(simdgroup.finished)) + " have returned";
  Violation violation = violation_of_lane(state_,
                                          ViolationKind::kDivergence,
                                          *simdgroup.lanes[order],
                                          group.site,
                                          std::move(what));
  const std::uint32_t others = simdgroup.waiting & ~group.lanes;
  if (others != 0) {
    const LaneContext& other =
        *simdgroup.lanes[static_cast<unsigned>(std::countr_zero(others))];
    violation.other = other_lane(
        other,
        std::string(call_name(static_cast<RendezvousKind>(other.wait_kind))) +
            " waited for");
  }
  state_.reports.add_violation(std::move(violation));
  is_abandoned_ = true;
}

void Worker::fail_products(const SimdgroupScheduler& simdgroup) {
  const MatrixQueue& queue = simdgroup.context->matrices;
  const PostedProducts posted =
      posted_products(queue, simdgroup.lane_mask(simdgroup.present));
  const unsigned entry =
      posted.least < posted.most ? posted.least : queue.drained;
  unsigned reached = 0;
  const LaneContext* first = nullptr;
  for (unsigned order = 0; order < kSimdWidth; ++order) {
    const LaneContext& lane = *simdgroup.lanes[order];
    if (((simdgroup.present >> order) & 1U) != 0 &&
        queue.posted[lane.thread_index_in_simdgroup] > entry) {
      ++reached;
      first = first == nullptr ? &lane : first;
    }
  }
  const LaneContext& lane = first == nullptr ? *simdgroup.lanes[0] : *first;
  state_.reports.add_violation(violation_of_lane(
      state_,
      ViolationKind::kDivergence,
      lane,
      queue.site[entry],
      "a simdgroup matrix product is not reached by all 32 lanes: " +
          std::to_string(reached) + " reach it"));
  is_abandoned_ = true;
}

// Reported where the first lanes wait; the other place is where other lanes
// wait, if any do.
void Worker::fail_barrier() {
  const BarrierCensus census = count_at_barriers();
  is_abandoned_ = true;
  if (census.first == nullptr) {
    return;
  }
  Violation violation = violation_of_lane(
      state_,
      ViolationKind::kDivergence,
      *census.first,
      census.first->site,
      "threadgroup_barrier is not reached by all threads of its threadgroup: " +
          std::to_string(census.waiting) + " of " +
          std::to_string(census.threads) + " threads wait here, " +
          std::to_string(census.elsewhere) + " at another barrier, " +
          std::to_string(census.threads - census.waiting - census.elsewhere) +
          " have returned");
  if (census.other != nullptr) {
    violation.other = other_lane(*census.other, "another barrier waited for");
  }
  state_.reports.add_violation(std::move(violation));
}

Worker::BarrierCensus Worker::count_at_barriers() const {
  BarrierCensus census;
  for (unsigned index = 0; index < simdgroup_count_; ++index) {
    const SimdgroupScheduler& simdgroup = simdgroups_[index];
    census.threads += static_cast<unsigned>(std::popcount(simdgroup.present));
    for (const WaitingGroup& group : waiting_groups(simdgroup)) {
      census.add(group, simdgroup);
    }
  }
  return census;
}

void Worker::BarrierCensus::add(const WaitingGroup& group,
                                const SimdgroupScheduler& simdgroup) {
  const LaneContext* lane =
      simdgroup.lanes[static_cast<unsigned>(std::countr_zero(group.lanes))];
  const auto lanes = static_cast<unsigned>(std::popcount(group.lanes));
  first = first == nullptr ? lane : first;
  if (group.site == first->site) {
    waiting += lanes;
  } else {
    elsewhere += lanes;
    other = lane;
  }
}

void Worker::check_finished() {
  for (unsigned index = 0; index < simdgroup_count_; ++index) {
    SimdgroupScheduler& simdgroup = simdgroups_[index];
    MatrixQueue& queue = simdgroup.context->matrices;
    const PostedProducts posted =
        posted_products(queue, simdgroup.lane_mask(simdgroup.present));
    const bool is_partial = posted.most > 0 && simdgroup.present != 0xffffffffU;
    if (posted.least != posted.most || is_partial) {
      fail_products(simdgroup);
      return;
    }
    if (posted.most > queue.drained) {
      compute_products(simdgroup, posted.most);
    }
  }
}

}  // namespace flash_attn_mps::simulator
