// SPDX-License-Identifier: MIT
// The aligned memory region of one worker: lane contexts, simdgroup queues and
// a stack with a guard page for every lane (Note [Finding the lane] in
// runtime_abi.h). Does not run anything.
#pragma once

#include <cstddef>

#include "simulator/metal_headers/runtime_abi.h"

namespace flash_attn_mps::simulator {

class StackRegion {
 public:
  StackRegion();
  ~StackRegion();
  StackRegion(const StackRegion&) = delete;
  StackRegion& operator=(const StackRegion&) = delete;

  // Makes the stacks of the first `lanes` lanes usable.
  void commit(unsigned lanes);

  LaneContext& lane(unsigned index) const;
  SimdgroupContext& simdgroup(unsigned index) const;
  ThreadgroupContext& threadgroup() const;
  void* stack_bottom(unsigned lane) const;
  void* stack_top(unsigned lane) const;

  const char* base() const { return base_; }
  // Bytes from base() that belong to the runtime or to a stack.
  static std::size_t bytes();

 private:
  char* base_ = nullptr;
  unsigned committed_lanes_ = 0;
};

}  // namespace flash_attn_mps::simulator
