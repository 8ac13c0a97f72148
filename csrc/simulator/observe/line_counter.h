// SPDX-License-Identifier: MIT
// Counts the distinct 128-byte lines of device memory that the lanes of a
// simdgroup touch in one access, the unit in which a GPU moves memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/execute/dispatch_state.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

// Note [One access of a simdgroup]
// Lanes run one after another, so the n-th time that each lane comes to an
// instruction, counted from the last meeting of all lanes, is one access of
// the simdgroup. The accesses are kept in the order in which they began; a
// lane that does what lanes before it did finds its next access behind its
// last one.
class SimdgroupAccesses {
 public:
  struct Counts {
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t lines_loaded = 0;
    std::uint64_t lines_stored = 0;
  };

  void add(const AccessBatch& batch, Counts& counts);
  // All lanes have met: what follows belongs to other accesses.
  void clear();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kLinesKept = 8;

  using Indices = std::vector<std::uint32_t>;  // of entries
  struct Entry {
    std::uintptr_t site = 0;
    std::uint32_t previous = kNone;  // of the same instruction
    std::uint32_t lanes = 0;         // that have taken part, a bit mask
    std::uint32_t line_count = 0;
    // The first lines; further ones are in more_lines_.
    std::array<std::uintptr_t, kLinesKept> lines{};
  };

  bool is_next(std::size_t index,
               std::uintptr_t site,
               std::uint32_t lane) const;
  // The access that the lane takes part in by coming to an instruction.
  std::size_t find(const MemoryAccess& access,
                   std::uint32_t lane,
                   Counts& counts);
  std::size_t begin(Indices& indices,
                    const MemoryAccess& access,
                    Counts& counts);
  void count_lines(std::size_t index,
                   const MemoryAccess& access,
                   Counts& counts);
  bool insert_line(std::size_t index, std::uintptr_t line);
  bool insert_further_line(std::size_t index, std::uintptr_t line);

  std::vector<Entry> entries_;
  std::vector<std::vector<std::uintptr_t>> more_lines_;  // by entry
  std::size_t used_ = 0;                                 // entries
  std::array<std::size_t, kSimdWidth> next_{};  // by lane, where to look first
  // Entries of each instruction, by site.
  std::unordered_map<std::uintptr_t, Indices> instructions_;
  std::vector<Indices*> visited_;  // those that are not empty
};

class LineCounter : public Observer {
 public:
  void access(const AccessBatch& batch) override;
  void meet(const Meeting& meeting) override;
  void pass_threadgroup_barrier(unsigned memory_flags) override;
  void end_threadgroup() override;
  void add_counts(Counters& counters) const override;

 private:
  std::array<SimdgroupAccesses, kMaxSimdgroups> simdgroups_;
  SimdgroupAccesses::Counts counts_;
};

}  // namespace flash_attn_mps::simulator
