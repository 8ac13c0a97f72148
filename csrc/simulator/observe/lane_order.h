// SPDX-License-Identifier: MIT
// When accesses of a threadgroup happen, in the only sense that matters for
// races: which barriers and collectives lie between two of them. Does not look
// at memory.
#pragma once

#include <array>
#include <cstdint>

#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

// Note [Order of accesses]
// `epoch` grows with every threadgroup_barrier that orders threadgroup memory
// and with every threadgroup. Within an epoch, accesses of different simdgroups
// are unordered. A simdgroup's `phase` grows with every collective of its
// lanes, matrix products included; accesses of its lanes are ordered by a
// barrier if a simdgroup_barrier lies between their phases, only by a
// collective if the phases differ, and not at all otherwise.
class LaneOrder {
 public:
  void begin_threadgroup();
  void meet(const Meeting& meeting);
  void pass_threadgroup_barrier(unsigned memory_flags);
  void multiply(const ProductBatch& batch);

  std::uint32_t epoch() const { return epoch_; }
  // Products that the lane has posted and that are not computed yet count on
  // top of it.
  std::uint32_t phase(const LaneContext& lane) const {
    return simdgroups_[lane.simdgroup_index_in_threadgroup].phase;
  }
  // Phase from which on the last simdgroup_barrier orders.
  std::uint32_t ordered_phase(const LaneContext& lane) const {
    return simdgroups_[lane.simdgroup_index_in_threadgroup].ordered_phase;
  }

 private:
  struct Simdgroup {
    std::uint32_t phase = 1;
    std::uint32_t ordered_phase = 0;
  };

  std::uint32_t epoch_ = 0;
  std::array<Simdgroup, kMaxSimdgroups> simdgroups_{};
};

}  // namespace flash_attn_mps::simulator
