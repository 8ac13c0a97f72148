// SPDX-License-Identifier: MIT
// Finds the access of the simdgroup that a lane's access is part of, and the
// lines that are new to it.
#include "simulator/observe/line_counter.h"

#include <algorithm>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::uintptr_t kLineBytes = 128;
constexpr unsigned kBufferShift = 56;

}  // namespace

// A lane comes to the accesses of an instruction in order, so that those it has
// taken part in come first.
inline bool SimdgroupAccesses::is_next(std::size_t index,
                                       std::uintptr_t site,
                                       std::uint32_t lane) const {
  if (index >= used_) {
    return false;
  }
  const Entry& entry = entries_[index];
  return entry.site == site && (entry.lanes & lane) == 0 &&
         (entry.previous == kNone ||
          (entries_[entry.previous].lanes & lane) != 0);
}

std::size_t SimdgroupAccesses::find(const MemoryAccess& access,
                                    std::uint32_t lane,
                                    Counts& counts) {
  auto& indices = instructions_[access.site];
  const auto found = std::ranges::partition_point(
      indices,
      [&](std::uint32_t index) { return (entries_[index].lanes & lane) != 0; });
  return found != indices.end() ? *found : begin(indices, access, counts);
}

std::size_t SimdgroupAccesses::begin(Indices& indices,
                                     const MemoryAccess& access,
                                     Counts& counts) {
  if (indices.empty()) {
    visited_.push_back(&indices);
  }
  const std::size_t index = used_++;
  if (entries_.size() < used_) {
    entries_.emplace_back();
    more_lines_.emplace_back();
  }
  Entry& entry = entries_[index];
  entry.site = access.site;
  entry.previous = indices.empty() ? kNone : indices.back();
  entry.lanes = 0;
  entry.line_count = 0;
  indices.push_back(static_cast<std::uint32_t>(index));
  ++(is_write(access.kind) ? counts.stores : counts.loads);
  return index;
}

inline bool SimdgroupAccesses::insert_line(std::size_t index,
                                           std::uintptr_t line) {
  Entry& entry = entries_[index];
  const std::size_t kept =
      std::min<std::size_t>(entry.line_count, entry.lines.size());
  for (std::size_t at = 0; at < kept; ++at) {
    if (entry.lines[at] == line) {
      return false;
    }
  }
  if (kept == entry.lines.size()) {
    return insert_further_line(index, line);
  }
  entry.lines[kept] = line;
  ++entry.line_count;
  return true;
}

bool SimdgroupAccesses::insert_further_line(std::size_t index,
                                            std::uintptr_t line) {
  auto& lines = more_lines_[index];
  if (entries_[index].line_count == kLinesKept) {
    lines.clear();
  }
  if (std::ranges::find(lines, line) != lines.end()) {
    return false;
  }
  lines.push_back(line);
  ++entries_[index].line_count;
  return true;
}

// A buffer of the device begins on a line, wherever the host's lies.
inline void SimdgroupAccesses::count_lines(std::size_t index,
                                           const MemoryAccess& access,
                                           Counts& counts) {
  const std::uintptr_t first =
      (static_cast<std::uintptr_t>(access.region->index) << kBufferShift) +
      access.offset;
  const std::uintptr_t last = first + access.bytes - 1;
  for (std::uintptr_t line = first / kLineBytes; line <= last / kLineBytes;
       ++line) {
    if (insert_line(index, line)) {
      ++(is_write(access.kind) ? counts.lines_stored : counts.lines_loaded);
    }
  }
}

void SimdgroupAccesses::add(const AccessBatch& batch, Counts& counts) {
  const unsigned lane_number = batch.lane.thread_index_in_simdgroup;
  const std::uint32_t lane = 1U << lane_number;
  std::size_t next = next_[lane_number];
  for (const MemoryAccess& access : batch.accesses) {
    if (access.region->space == MemorySpace::kThreadgroup ||
        is_atomic(access.kind)) {
      continue;
    }
    const std::size_t index =
        is_next(next, access.site, lane) ? next : find(access, lane, counts);
    next = index + 1;
    entries_[index].lanes |= lane;
    count_lines(index, access, counts);
  }
  next_[lane_number] = next;
}

void SimdgroupAccesses::clear() {
  for (Indices* indices : visited_) {
    indices->clear();
  }
  visited_.clear();
  used_ = 0;
  next_.fill(0);
}

void LineCounter::access(const AccessBatch& batch) {
  simdgroups_[batch.lane.simdgroup_index_in_threadgroup].add(batch, counts_);
}

void LineCounter::meet(const Meeting& meeting) {
  if (meeting.lanes == 0xffffffffU) {
    simdgroups_[meeting.simdgroup].clear();
  }
}

void LineCounter::pass_threadgroup_barrier(unsigned) {
  end_threadgroup();
}

void LineCounter::end_threadgroup() {
  for (SimdgroupAccesses& simdgroup : simdgroups_) {
    simdgroup.clear();
  }
}

void LineCounter::add_counts(Counters& counters) const {
  counters["simdgroup_loads"] += counts_.loads;
  counters["simdgroup_stores"] += counts_.stores;
  counters["lines_loaded"] += counts_.lines_loaded;
  counters["lines_stored"] += counts_.lines_stored;
}

}  // namespace flash_attn_mps::simulator
