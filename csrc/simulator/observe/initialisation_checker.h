// SPDX-License-Identifier: MIT
// Finds reads of bytes that nothing has written: threadgroup memory, which
// starts so in every threadgroup, and buffers announced as uninitialised.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/execute/dispatch_state.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

class InitialisationChecker : public Observer {
 public:
  explicit InitialisationChecker(DispatchState& state);

  void add_threadgroup_memory(MemoryRegion& region) override;
  void access(const AccessBatch& batch) override;

 private:
  void check(const LaneContext& lane, const MemoryAccess& access);
  void report(const LaneContext& lane,
              const MemoryAccess& access,
              std::size_t offset);

  DispatchState& state_;
  std::vector<std::uint8_t> threadgroup_;  // one byte for each byte
};

}  // namespace flash_attn_mps::simulator
