// SPDX-License-Identifier: MIT
// One cell of history for each granule of threadgroup memory (Note [Order of
// accesses] in lane_order.h).
#include "simulator/observe/threadgroup_race_checker.h"

#include <algorithm>
#include <utility>

namespace flash_attn_mps::simulator {
namespace {

constexpr unsigned kLargestGranule = 4;

}  // namespace

ThreadgroupRaceChecker::ThreadgroupRaceChecker(DispatchState& state)
    : state_(state),
      cells_(kThreadgroupMemoryBytes),
      granules_(kThreadgroupMemoryBytes, kLargestGranule) {}

void ThreadgroupRaceChecker::begin_threadgroup(
    const ThreadgroupContext& context) {
  order_.begin_threadgroup();
  threadgroup_ = context.threadgroup_position_in_grid;
}

void ThreadgroupRaceChecker::add_threadgroup_memory(MemoryRegion& region) {
  granules_[region.shadow_offset] = kLargestGranule;
}

void ThreadgroupRaceChecker::access(const AccessBatch& batch) {
  const LaneContext& lane = batch.lane;
  for (const std::uint8_t index : batch.with_history) {
    const MemoryAccess& access = batch.accesses[index];
    if (access.region->space == MemorySpace::kThreadgroup) {
      check(access,
            {static_cast<std::uint16_t>(lane.thread_index_in_threadgroup),
             lane.simdgroup_index_in_threadgroup,
             order_.phase(lane) + access.pending_products,
             order_.ordered_phase(lane),
             lane});
    }
  }
}

void ThreadgroupRaceChecker::check(const MemoryAccess& access,
                                   const Accessor& who) {
  const unsigned granule = granule_for(access);
  const std::size_t first = access.region->shadow_offset + access.offset;
  for (std::size_t at = first; at < first + access.bytes; at += granule) {
    Cell& cell = cells_[at];
    if (cell.epoch == order_.epoch()) {
      check_cell(cell, access, who);
    } else {
      cell = Cell{};
      cell.epoch = order_.epoch();
    }
    remember(cell, access, who);
  }
}

unsigned ThreadgroupRaceChecker::granule_for(const MemoryAccess& access) {
  std::uint8_t& granule = granules_[access.region->shadow_offset];
  const auto alignment = static_cast<unsigned>((access.offset | access.bytes) &
                                               (kLargestGranule - 1));
  if (alignment == 0 || granule == 1) {
    return granule;
  }
  const unsigned wanted = (alignment & 1U) != 0 ? 1U : 2U;
  if (wanted < granule) {
    split_granules(*access.region, wanted);
    granule = static_cast<std::uint8_t>(wanted);
  }
  return granule;
}

void ThreadgroupRaceChecker::split_granules(const MemoryRegion& region,
                                            unsigned granule) {
  const unsigned old = granules_[region.shadow_offset];
  const std::size_t end = region.shadow_offset + region.bytes;
  for (std::size_t at = region.shadow_offset; at < end; at += old) {
    for (std::size_t part = at + granule; part < std::min(at + old, end);
         part += granule) {
      cells_[part] = cells_[at];
    }
  }
}

void ThreadgroupRaceChecker::check_cell(Cell& cell,
                                        const MemoryAccess& access,
                                        const Accessor& who) {
  check_party(cell.writer, access, who, "written");
  if (!is_write(access.kind)) {
    return;
  }
  const std::uint32_t others = cell.reader_simdgroups & ~(1U << who.simdgroup);
  const bool latest_is_foreign =
      cell.reader.thread / kSimdWidth != who.simdgroup;
  if (others != 0 && !latest_is_foreign &&
      cell.other_reader.thread / kSimdWidth == who.simdgroup) {
    // The foreign reader itself is forgotten, that there was one is not.
    report(
        Party{}, access, who, "read by another simdgroup", /*is_note=*/false);
    return;
  }
  check_party(cell.reader, access, who, "read");
  check_party(cell.other_reader, access, who, "read");
}

void ThreadgroupRaceChecker::check_party(const Party& party,
                                         const MemoryAccess& access,
                                         const Accessor& who,
                                         const char* what) {
  if (party.thread == kNobody || party.thread == who.thread ||
      (party.is_atomic && is_atomic(access.kind))) {
    return;
  }
  if (party.thread / kSimdWidth != who.simdgroup) {
    report(party, access, who, what, /*is_note=*/false);
  } else if (party.phase >= who.ordered_phase) {
    report(party, access, who, what, /*is_note=*/party.phase != who.phase);
  }
}

void ThreadgroupRaceChecker::remember(Cell& cell,
                                      const MemoryAccess& access,
                                      const Accessor& who) {
  const Party party{who.thread, is_atomic(access.kind), who.phase, access.site};
  if (is_write(access.kind)) {
    cell.writer = party;
    cell.reader = Party{};
    cell.other_reader = Party{};
    cell.reader_simdgroups = 0;
    return;
  }
  if (cell.reader.thread != who.thread) {
    cell.other_reader = cell.reader;
  }
  cell.reader = party;
  cell.reader_simdgroups |= 1U << who.simdgroup;
}

void ThreadgroupRaceChecker::report(const Party& party,
                                    const MemoryAccess& access,
                                    const Accessor& who,
                                    const char* what,
                                    bool is_note) {
  if (!state_.reports.is_new(ViolationKind::kRace, access.site, is_note)) {
    return;
  }
  Violation violation = violation_of_lane(
      state_,
      ViolationKind::kRace,
      who.lane,
      access.site,
      std::string(is_write(access.kind) ? "a write" : "a read") +
          (is_note ? " that only a collective orders after another access to "
                     "the same threadgroup memory, no barrier"
                   : " that no barrier orders after another access to the same "
                     "threadgroup memory"));
  name_memory(
      *access.region, static_cast<std::int64_t>(access.offset), violation);
  if (party.thread != kNobody) {
    violation.other = OtherAccess{{party.site, {}, 0},
                                  {threadgroup_,
                                   static_cast<int>(party.thread / kSimdWidth),
                                   static_cast<int>(party.thread % kSimdWidth)},
                                  what};
  }
  if (is_note) {
    state_.reports.add_note(std::move(violation));
  } else {
    state_.reports.add_violation(std::move(violation));
  }
}

}  // namespace flash_attn_mps::simulator
