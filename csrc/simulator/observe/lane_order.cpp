// SPDX-License-Identifier: MIT
// Counting epochs and phases.
#include "simulator/observe/lane_order.h"

namespace flash_attn_mps::simulator {

void LaneOrder::begin_threadgroup() {
  ++epoch_;
  simdgroups_.fill(Simdgroup{});
}

// Reading a product is no collective of Metal, and a load or store of a matrix
// orders no memory; the products themselves are
// counted by multiply().
void LaneOrder::meet(const Meeting& meeting) {
  if (meeting.kind == kMatrixRead || meeting.kind == kMatrixMemory) {
    return;
  }
  Simdgroup& simdgroup = simdgroups_[meeting.simdgroup];
  ++simdgroup.phase;
  const bool orders_memory = meeting.kind == kSimdgroupBarrier &&
                             (meeting.memory_flags & kMemoryThreadgroup) != 0;
  if (orders_memory) {
    simdgroup.ordered_phase = simdgroup.phase;
  }
}

void LaneOrder::pass_threadgroup_barrier(unsigned memory_flags) {
  if ((memory_flags & kMemoryThreadgroup) != 0) {
    ++epoch_;
    return;
  }
  for (Simdgroup& simdgroup : simdgroups_) {
    ++simdgroup.phase;
  }
}

void LaneOrder::multiply(const ProductBatch& batch) {
  simdgroups_[batch.simdgroup].phase += batch.end - batch.first;
}

}  // namespace flash_attn_mps::simulator
