// SPDX-License-Identifier: MIT
// threadgroup_barrier, simdgroup_barrier and their flags.
#pragma once

#include "runtime_abi.h"
#include "type_traits.h"

namespace metal {

enum class mem_flags : uint {
  mem_none = flash_attn_mps::simulator::kMemoryNone,
  mem_device = flash_attn_mps::simulator::kMemoryDevice,
  mem_threadgroup = flash_attn_mps::simulator::kMemoryThreadgroup,
  mem_device_and_threadgroup = mem_device | mem_threadgroup,
  mem_texture = flash_attn_mps::simulator::kMemoryTexture,
};

METAL_HOST_INLINE constexpr mem_flags operator|(mem_flags a, mem_flags b) {
  return static_cast<mem_flags>(static_cast<uint>(a) | static_cast<uint>(b));
}
METAL_HOST_INLINE constexpr mem_flags operator&(mem_flags a, mem_flags b) {
  return static_cast<mem_flags>(static_cast<uint>(a) & static_cast<uint>(b));
}

METAL_HOST_INLINE void threadgroup_barrier(mem_flags flags,
                                           uint line = __builtin_LINE()) {
  flash_attn_mps_rendezvous(flash_attn_mps::simulator::kThreadgroupBarrier,
                            static_cast<uint>(flags),
                            line);
}

// Without memory to order, lanes that run one after another need not meet;
// the checked build still proves that all of them arrive.
METAL_HOST_INLINE void simdgroup_barrier(mem_flags flags,
                                         uint line = __builtin_LINE()) {
  if (FLASH_ATTN_MPS_CHECKED || flags != mem_flags::mem_none) {
    flash_attn_mps_rendezvous(flash_attn_mps::simulator::kSimdgroupBarrier,
                              static_cast<uint>(flags),
                              line);
  }
}

}  // namespace metal
