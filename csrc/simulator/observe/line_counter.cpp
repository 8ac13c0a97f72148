// SPDX-License-Identifier: MIT
// Gathers the lines of each access until the lanes meet, then counts them.
#include "simulator/observe/line_counter.h"

#include <algorithm>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::uintptr_t kLineBytes = 128;
constexpr unsigned kBufferShift = 56;

void insert_line(std::vector<std::uintptr_t>& lines, std::uintptr_t line) {
  if (!lines.empty() && lines.back() == line) {
    return;
  }
  if (std::ranges::find(lines, line) == lines.end()) {
    lines.push_back(line);
  }
}

}  // namespace

LineCounter::Instruction& LineCounter::instruction_of(
    Simdgroup& simdgroup,
    const MemoryAccess& access) {
  auto& found = simdgroup.found[access.site % simdgroup.found.size()];
  if (found.site != access.site) {
    found.site = access.site;
    found.instruction = &simdgroup.instructions[access.site];
    found.instruction->is_store = is_write(access.kind);
  }
  return *found.instruction;
}

void LineCounter::access(const MemoryAccess& access) {
  const LaneContext& lane = *access.lane;
  if (access.region->space == MemorySpace::kThreadgroup ||
      is_atomic(access.kind)) {
    return;
  }
  Simdgroup& simdgroup = simdgroups_[lane.simdgroup_index_in_threadgroup];
  Instruction& instruction = instruction_of(simdgroup, access);
  const unsigned visit = instruction.visits[lane.thread_index_in_simdgroup]++;
  if (visit >= instruction.used) {
    if (instruction.used == 0) {
      simdgroup.visited.push_back(&instruction);
    }
    instruction.used = visit + 1;
    if (instruction.lines.size() < instruction.used) {
      instruction.lines.resize(instruction.used);
    }
  }
  // A buffer of the device begins on a line, wherever the host's lies.
  const std::uintptr_t first =
      (static_cast<std::uintptr_t>(access.region->index) << kBufferShift) +
      access.offset;
  for (std::uintptr_t line = first / kLineBytes;
       line <= (first + access.bytes - 1) / kLineBytes;
       ++line) {
    insert_line(instruction.lines[visit], line);
  }
}

void LineCounter::meet(const Meeting& meeting) {
  if (meeting.lanes == 0xffffffffU) {
    close(simdgroups_[meeting.simdgroup]);
  }
}

void LineCounter::pass_threadgroup_barrier(unsigned) {
  end_threadgroup();
}

void LineCounter::end_threadgroup() {
  for (Simdgroup& simdgroup : simdgroups_) {
    close(simdgroup);
  }
}

void LineCounter::close(Simdgroup& simdgroup) {
  for (Instruction* instruction : simdgroup.visited) {
    for (unsigned visit = 0; visit < instruction->used; ++visit) {
      auto& lines = instruction->lines[visit];
      (instruction->is_store ? store_accesses_ : load_accesses_) += 1;
      (instruction->is_store ? lines_stored_ : lines_loaded_) += lines.size();
      lines.clear();
    }
    instruction->used = 0;
    instruction->visits.fill(0);
  }
  simdgroup.visited.clear();
}

void LineCounter::add_counts(Counters& counters) const {
  counters["simdgroup_loads"] += load_accesses_;
  counters["simdgroup_stores"] += store_accesses_;
  counters["lines_loaded"] += lines_loaded_;
  counters["lines_stored"] += lines_stored_;
}

}  // namespace flash_attn_mps::simulator
