// SPDX-License-Identifier: MIT
// What the generated entry passes to a kernel: proxies that convert to the
// type of the parameter, so that C++ itself deduces it.
#pragma once

#include "runtime_abi.h"
#include "type_traits.h"

namespace metal_host {

METAL_HOST_INLINE ulong address_of(const void* pointer) {
  return reinterpret_cast<ulong>(pointer);
}

// [[buffer(index)]]; `is_bound` is false where a function constant says that
// the argument does not exist.
struct buffer {
  uint index;
  bool is_bound;

  METAL_HOST_INLINE ulong address() const {
    return is_bound ? address_of(flash_attn_mps_buffer(index)) : 0;
  }
  template <typename T>
  METAL_HOST_INLINE operator device T*() const {
    return reinterpret_cast<device T*>(address());
  }
  template <typename T>
  METAL_HOST_INLINE operator constant T*() const {
    return reinterpret_cast<constant T*>(address());
  }
  template <typename T>
  METAL_HOST_INLINE operator device T&() const {
    return *reinterpret_cast<device T*>(address());
  }
  template <typename T>
  METAL_HOST_INLINE operator constant T&() const {
    return *reinterpret_cast<constant T*>(address());
  }
};

// [[threadgroup(index)]]
struct threadgroup_argument {
  uint index;

  METAL_HOST_INLINE ulong address() const {
    return address_of(flash_attn_mps_threadgroup_argument(index));
  }
  template <typename T>
  METAL_HOST_INLINE operator threadgroup T*() const {
    return reinterpret_cast<threadgroup T*>(address());
  }
  template <typename T>
  METAL_HOST_INLINE operator threadgroup T&() const {
    return *reinterpret_cast<threadgroup T*>(address());
  }
};

// See take_branches_by_value of the front end.
struct by_value {};
template <typename T>
METAL_HOST_INLINE constexpr T operator->*(by_value, T value) {
  return value;
}

// Address of a `threadgroup` variable of a kernel. `alignment` is what the
// declaration asks for beyond its type.
template <typename T>
METAL_HOST_INLINE ulong threadgroup_variable(uint site,
                                             ulong bytes,
                                             ulong alignment,
                                             const constant char* name) {
  const ulong needed = alignment > alignof(T) ? alignment : alignof(T);
  return address_of(flash_attn_mps_threadgroup_variable(
      site,
      bytes,
      needed,
      reinterpret_cast<const char*>(reinterpret_cast<ulong>(name))));
}

}  // namespace metal_host
