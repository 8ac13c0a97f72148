// SPDX-License-Identifier: MIT
// The accesses of the running lane that the observers have not been told of.
// They are told of many at once: one at a time costs more than the access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simulator/execute/memory_region.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

class AccessLog {
 public:
  bool is_empty() const { return used_ == 0; }
  bool is_full() const { return used_ == accesses_.size(); }
  // A place for the next access, to be filled in by the caller: written field
  // by field and read much later, where a copy would wait for every field.
  MemoryAccess& add(const MemoryRegion& region) {
    with_history_[used_with_history_] = static_cast<std::uint8_t>(used_);
    used_with_history_ += region.has_history() ? 1 : 0;
    return accesses_[used_++];
  }
  void tell(const Observers& observers, const LaneContext& lane) {
    const AccessBatch batch{lane,
                            {accesses_.data(), used_},
                            {with_history_.data(), used_with_history_}};
    for (const auto& observer : observers) {
      observer->access(batch);
    }
    used_ = 0;
    used_with_history_ = 0;
  }

 private:
  static constexpr std::size_t kLength = 128;

  std::array<MemoryAccess, kLength> accesses_;
  std::array<std::uint8_t, kLength> with_history_{};
  std::size_t used_ = 0;
  std::size_t used_with_history_ = 0;
};

}  // namespace flash_attn_mps::simulator
