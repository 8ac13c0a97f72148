// SPDX-License-Identifier: MIT
// One OS thread's share of a dispatch: runs threadgroups one after another on
// its own stacks and threadgroup memory. Finds reasons to stop; what a kernel
// did wrong in memory is for the observers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulator/execute/access_log.h"
#include "simulator/execute/dispatch_state.h"
#include "simulator/execute/memory_map.h"
#include "simulator/execute/simdgroup_scheduler.h"
#include "simulator/execute/stack_region.h"
#include "simulator/execute/threadgroup_memory.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

class Worker {
 public:
  explicit Worker(DispatchState& state);

  void run_threadgroup(std::uint64_t linear_index);

  DispatchState& state() { return state_; }
  ThreadgroupMemory& threadgroup_memory() { return memory_; }
  MemoryMap& memory_map() { return map_; }
  MemoryRegion* threadgroup_argument(unsigned index);
  const char* stack_base() const { return region_->base(); }

  // Called on a lane's stack.
  AccessLog& access_log() { return access_log_; }
  void make_room(const LaneContext& lane) {
    if (access_log_.is_full()) {
      tell_accesses(lane);
    }
  }
  // Before the lane lets another one run.
  void tell_accesses(const LaneContext& lane) {
    if (!access_log_.is_empty()) {
      access_log_.tell(observers_, lane);
    }
  }
  void leave_simdgroup(void** saved);
  // Ends the threadgroup and the dispatch; the lane never runs again.
  [[noreturn]] void abandon();
  [[noreturn]] void abandon_with(Violation violation);
  MemoryRegion* add_threadgroup_memory(std::size_t bytes,
                                       std::size_t alignment,
                                       const char* name,
                                       int index);

  void compute_products(SimdgroupScheduler& simdgroup, unsigned end);
  void tell_meeting(const Meeting& meeting) {
    for (const auto& observer : observers_) {
      observer->meet(meeting);
    }
  }
  // Adds what the observers have counted to the dispatch's counters.
  void hand_in_counts();

 private:
  // Who waits where when not all threads have reached one barrier.
  struct BarrierCensus {
    const LaneContext* first = nullptr;
    const LaneContext* other = nullptr;  // waits at another barrier
    unsigned waiting = 0;                // where `first` does
    unsigned elsewhere = 0;
    unsigned threads = 0;

    void add(const WaitingGroup& group, const SimdgroupScheduler& simdgroup);
  };

  void place_threadgroup(std::uint64_t linear_index);
  void place_lanes();
  void place_lane(unsigned thread, const GridPosition& size);
  void start_simdgroup(unsigned index, unsigned threads);
  bool add_threadgroup_arguments();
  void run_simdgroups();
  void run_until_parked(SimdgroupScheduler& simdgroup);
  bool pass_barrier();
  void check_finished();

  // One step for a simdgroup none of whose lanes can move; false when all its
  // lanes have finished or wait at threadgroup barriers.
  bool resolve(SimdgroupScheduler& simdgroup);
  bool resolve_matrix_read(SimdgroupScheduler& simdgroup);
  bool resolve_meeting(SimdgroupScheduler& simdgroup,
                       const std::vector<WaitingGroup>& groups);
  void note_divergence(const SimdgroupScheduler& simdgroup,
                       const WaitingGroup& group);
  void fail(const SimdgroupScheduler& simdgroup,
            const WaitingGroup& group,
            std::string what);
  void fail_products(const SimdgroupScheduler& simdgroup);
  void fail_barrier();
  BarrierCensus count_at_barriers() const;

  DispatchState& state_;
  std::shared_ptr<StackRegion> region_;
  ThreadgroupMemory memory_;
  MemoryMap map_;
  Observers observers_;
  AccessLog access_log_;
  std::array<SimdgroupScheduler, kMaxSimdgroups> simdgroups_;
  std::vector<unsigned> simdgroup_order_;
  std::vector<unsigned> lane_order_;
  std::vector<MemoryRegion*> threadgroup_arguments_;
  unsigned simdgroup_count_ = 0;
  void* main_fiber_ = nullptr;
  bool is_abandoned_ = false;
};

}  // namespace flash_attn_mps::simulator
