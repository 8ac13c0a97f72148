// SPDX-License-Identifier: MIT
// Finds two accesses to threadgroup memory, one of them a write, that no
// barrier orders. Order by a collective alone is a note. Atomics against
// atomics are exempt.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/execute/dispatch_state.h"
#include "simulator/execute/threadgroup_memory.h"
#include "simulator/observe/lane_order.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

class ThreadgroupRaceChecker : public Observer {
 public:
  explicit ThreadgroupRaceChecker(DispatchState& state);

  void begin_threadgroup(const ThreadgroupContext& context) override;
  void add_threadgroup_memory(MemoryRegion& region) override;
  void access(const AccessBatch& batch) override;
  void meet(const Meeting& meeting) override { order_.meet(meeting); }
  void pass_threadgroup_barrier(unsigned memory_flags) override {
    order_.pass_threadgroup_barrier(memory_flags);
  }
  void multiply(const ProductBatch& batch) override { order_.multiply(batch); }

 private:
  static constexpr std::uint16_t kNobody = 0xffff;

  struct Party {
    std::uint16_t thread = kNobody;
    bool is_atomic = false;
    std::uint32_t phase = 0;
    std::uintptr_t site = 0;
  };
  // What is known of one granule since `epoch` began.
  struct Cell {
    std::uint32_t epoch = 0;
    std::uint32_t reader_simdgroups = 0;  // bit mask
    Party writer;
    Party reader;
    // A reader of the same simdgroup, other than `reader`.
    Party other_reader;
  };
  struct Accessor {
    std::uint16_t thread;
    unsigned simdgroup;
    std::uint32_t phase;
    std::uint32_t ordered_phase;
    const LaneContext& lane;
  };

  // A granule is as large as all accesses to its array so far allow.
  unsigned granule_for(const MemoryAccess& access);
  void split_granules(const MemoryRegion& region, unsigned granule);
  void check(const MemoryAccess& access, const Accessor& who);
  void check_cell(Cell& cell, const MemoryAccess& access, const Accessor& who);
  void check_party(const Party& party,
                   const MemoryAccess& access,
                   const Accessor& who,
                   const char* what);
  void remember(Cell& cell, const MemoryAccess& access, const Accessor& who);
  void report(const Party& party,
              const MemoryAccess& access,
              const Accessor& who,
              const char* what,
              bool is_note);

  DispatchState& state_;
  LaneOrder order_;
  std::vector<Cell> cells_;
  std::vector<std::uint8_t> granules_;  // bytes, by shadow offset of an array
  GridPosition threadgroup_{};
};

}  // namespace flash_attn_mps::simulator
