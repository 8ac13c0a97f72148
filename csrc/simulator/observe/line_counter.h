// SPDX-License-Identifier: MIT
// Counts the distinct 128-byte lines of device memory that the lanes of a
// simdgroup touch in one access, the unit in which a GPU moves memory.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/execute/dispatch_state.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

// Note [One access of a simdgroup]
// Lanes run one after another, so the n-th time that each lane comes to an
// instruction, counted from the last meeting of all lanes, is one access of
// the simdgroup.
class LineCounter : public Observer {
 public:
  void access(const MemoryAccess& access) override;
  void meet(const Meeting& meeting) override;
  void pass_threadgroup_barrier(unsigned memory_flags) override;
  void end_threadgroup() override;
  void add_counts(Counters& counters) const override;

 private:
  struct Instruction {
    bool is_store = false;
    std::array<std::uint32_t, kSimdWidth> visits{};  // by lane
    std::vector<std::vector<std::uintptr_t>> lines;  // by visit
    unsigned used = 0;                               // entries of `lines`
  };
  struct Simdgroup {
    std::unordered_map<std::uintptr_t, Instruction> instructions;  // by site
    std::vector<Instruction*> visited;
    // The instruction last found for some bits of its site.
    struct Found {
      std::uintptr_t site = 0;
      Instruction* instruction = nullptr;
    };
    std::array<Found, 64> found{};
  };

  Instruction& instruction_of(Simdgroup& simdgroup, const MemoryAccess& access);
  void close(Simdgroup& simdgroup);

  std::array<Simdgroup, kMaxSimdgroups> simdgroups_;
  std::uint64_t load_accesses_ = 0;
  std::uint64_t store_accesses_ = 0;
  std::uint64_t lines_loaded_ = 0;
  std::uint64_t lines_stored_ = 0;
};

}  // namespace flash_attn_mps::simulator
