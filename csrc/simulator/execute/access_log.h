// SPDX-License-Identifier: MIT
// The accesses of the running lane that the observers have not been told of.
// They are told of many at once: one at a time costs more than the access.
#pragma once

#include <array>
#include <cstddef>

#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

class AccessLog {
 public:
  bool is_empty() const { return used_ == 0; }
  bool is_full() const { return used_ == accesses_.size(); }
  // A place for the next access, to be filled in by the caller: written field
  // by field and read much later, where a copy would wait for every field.
  MemoryAccess& add() { return accesses_[used_++]; }
  void tell(const Observers& observers, const LaneContext& lane) {
    const AccessBatch batch{lane, {accesses_.data(), used_}};
    for (const auto& observer : observers) {
      observer->access(batch);
    }
    used_ = 0;
  }

 private:
  std::array<MemoryAccess, 128> accesses_;
  std::size_t used_ = 0;
};

}  // namespace flash_attn_mps::simulator
