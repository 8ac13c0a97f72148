// SPDX-License-Identifier: MIT
// Counts, exactly, what a dispatch does: matrix products, barriers,
// collectives, atomics, bytes moved. Judges nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "simulator/execute/dispatch_state.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

class OperationCounter : public Observer {
 public:
  explicit OperationCounter(const DispatchState& state);

  void begin_threadgroup(const ThreadgroupContext& context) override;
  void add_threadgroup_memory(MemoryRegion& region) override;
  void access(const AccessBatch& batch) override;
  void meet(const Meeting& meeting) override;
  void pass_threadgroup_barrier(unsigned memory_flags) override;
  void multiply(const ProductBatch& batch) override;
  void add_counts(Counters& counters) const override;

 private:
  struct Traffic {
    std::uint64_t loaded = 0;
    std::uint64_t stored = 0;
  };

  Traffic& traffic_of(const MemoryRegion& region);
  void add_traffic(const MemoryRegion* region, const Traffic& sum);
  void hand_in_traffic(Counters& counters) const;
  void hand_in_products(Counters& counters) const;

  const DispatchState& state_;
  std::uint64_t threadgroups_ = 0;
  std::uint64_t threadgroup_barriers_ = 0;
  std::uint64_t atomics_ = 0;
  std::uint64_t threadgroup_bytes_ = 0;  // largest end of an array
  std::array<std::uint64_t, kRendezvousKinds> meetings_{};
  // By types of A, B and D, two bits each.
  std::array<std::uint64_t, 64> products_{};
  std::array<Traffic, kBufferSlots> buffers_;
  Traffic threadgroup_;
};

}  // namespace flash_attn_mps::simulator
