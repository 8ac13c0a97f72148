// SPDX-License-Identifier: MIT
// How the headers touch the runtime's own memory, which is no memory of the
// kernel: the checked build must not report it.
//
// Note [Unobserved accesses]
// The checked build's compiler inserts a callback at every access but those to
// objects that it can keep in registers, and atomic ones. A relaxed atomic load
// or store is the same instruction as a plain one, so it costs nothing and
// stays unobserved wherever it is inlined. A whole function is unobserved with
// FLASH_ATTN_MPS_UNOBSERVED, at the price of a call.
#pragma once

#include "type_traits.h"

#if FLASH_ATTN_MPS_CHECKED
#define FLASH_ATTN_MPS_UNOBSERVED \
  inline __attribute__((noinline, no_sanitize("thread", "alignment")))
#else
#define FLASH_ATTN_MPS_UNOBSERVED METAL_HOST_INLINE
#endif

namespace metal_host {

template <typename T, typename Value = metal::remove_addrspace_t<T>>
METAL_HOST_INLINE Value unobserved_load(const T* place) {
#if FLASH_ATTN_MPS_CHECKED
  Value value;
  __atomic_load(place, &value, __ATOMIC_RELAXED);
  return value;
#else
  return *place;
#endif
}

template <typename T, typename Value>
METAL_HOST_INLINE void unobserved_store(T* place, Value value) {
#if FLASH_ATTN_MPS_CHECKED
  __atomic_store(place, &value, __ATOMIC_RELAXED);
#else
  *place = value;
#endif
}

}  // namespace metal_host
