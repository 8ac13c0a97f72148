// SPDX-License-Identifier: MIT
// The values behind [[thread_position_in_grid]] and the other attributes of a
// kernel's arguments: one function for each attribute, named after it. A value
// converts to every type that Metal allows for the argument.
#pragma once

#include "runtime_abi.h"
#include "vector_types.h"

namespace metal_attribute {

struct position_value {
  uint x;
  uint y;
  uint z;

  operator ushort() const { return static_cast<ushort>(x); }
  operator uint() const { return x; }
  operator metal::vec<ushort, 2>() const {
    return metal::vec<ushort, 2>(static_cast<ushort>(x),
                                 static_cast<ushort>(y));
  }
  operator metal::vec<uint, 2>() const { return metal::vec<uint, 2>(x, y); }
  operator metal::vec<ushort, 3>() const {
    return metal::vec<ushort, 3>(
        static_cast<ushort>(x), static_cast<ushort>(y), static_cast<ushort>(z));
  }
  operator metal::vec<uint, 3>() const { return metal::vec<uint, 3>(x, y, z); }
};

METAL_HOST_INLINE position_value
value_of(flash_attn_mps::simulator::GridPosition position) {
  return position_value{position.x, position.y, position.z};
}

METAL_HOST_INLINE flash_attn_mps::simulator::LaneContext* lane() {
  return flash_attn_mps::simulator::current_lane();
}

METAL_HOST_INLINE position_value thread_position_in_grid() {
  return value_of(lane()->thread_position_in_grid);
}
METAL_HOST_INLINE position_value thread_position_in_threadgroup() {
  return value_of(lane()->thread_position_in_threadgroup);
}
METAL_HOST_INLINE position_value threadgroup_position_in_grid() {
  return value_of(lane()->group->threadgroup_position_in_grid);
}
METAL_HOST_INLINE position_value threadgroups_per_grid() {
  return value_of(lane()->group->threadgroups_per_grid);
}
METAL_HOST_INLINE position_value threads_per_grid() {
  return value_of(lane()->group->threads_per_grid);
}
METAL_HOST_INLINE position_value grid_size() {
  return threads_per_grid();
}
// No kernel of the simulator starts at another origin.
METAL_HOST_INLINE position_value grid_origin() {
  return position_value{0, 0, 0};
}
METAL_HOST_INLINE position_value threads_per_threadgroup() {
  return value_of(lane()->group->threads_per_threadgroup);
}
METAL_HOST_INLINE position_value dispatch_threads_per_threadgroup() {
  return value_of(lane()->group->dispatch_threads_per_threadgroup);
}

METAL_HOST_INLINE uint thread_index_in_threadgroup() {
  return lane()->thread_index_in_threadgroup;
}
METAL_HOST_INLINE uint thread_index_in_simdgroup() {
  return lane()->thread_index_in_simdgroup;
}
METAL_HOST_INLINE uint simdgroup_index_in_threadgroup() {
  return lane()->simdgroup_index_in_threadgroup;
}
METAL_HOST_INLINE uint simdgroups_per_threadgroup() {
  return lane()->group->simdgroups_per_threadgroup;
}
METAL_HOST_INLINE uint dispatch_simdgroups_per_threadgroup() {
  return lane()->group->dispatch_simdgroups_per_threadgroup;
}
METAL_HOST_INLINE uint dispatch_quadgroups_per_threadgroup() {
  const auto extents = lane()->group->dispatch_threads_per_threadgroup;
  return (extents.x * extents.y * extents.z + 3) / 4;
}
METAL_HOST_INLINE uint threads_per_simdgroup() {
  return flash_attn_mps::simulator::kSimdWidth;
}
METAL_HOST_INLINE uint thread_execution_width() {
  return flash_attn_mps::simulator::kSimdWidth;
}
METAL_HOST_INLINE uint thread_index_in_quadgroup() {
  return lane()->thread_index_in_simdgroup % 4;
}
METAL_HOST_INLINE uint quadgroup_index_in_threadgroup() {
  return lane()->thread_index_in_threadgroup / 4;
}
METAL_HOST_INLINE uint quadgroup_index_in_simdgroup() {
  return lane()->thread_index_in_simdgroup / 4;
}
METAL_HOST_INLINE uint quadgroups_per_threadgroup() {
  return (lane()->group->threads_per_threadgroup.x *
              lane()->group->threads_per_threadgroup.y *
              lane()->group->threads_per_threadgroup.z +
          3) /
         4;
}

}  // namespace metal_attribute
