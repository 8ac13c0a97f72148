// SPDX-License-Identifier: MIT
// A range of memory that a kernel may touch: a bound buffer or a threadgroup
// array, with what is known of it. Holds no memory itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace flash_attn_mps::simulator {

enum class MemorySpace : std::uint8_t { kDevice, kConstant, kThreadgroup };

struct MemoryRegion {
  char* address = nullptr;
  std::size_t bytes = 0;
  MemorySpace space = MemorySpace::kDevice;
  int index = -1;  // buffer slot, threadgroup slot or number of the declaration
  bool is_writable = true;
  std::string name;
  // One byte for each byte of the region, non-zero once written; null: all are
  // initialised. Shared by all workers of a dispatch.
  std::uint8_t* initialised = nullptr;
  // By some thread of the dispatch, through this or an overlapping buffer.
  bool may_be_written = true;

  // Where the region begins in a shadow of its memory: in the threadgroup's
  // memory as the device counts it, 0 for a buffer.
  std::size_t shadow_offset = 0;

  int buffer_index() const {
    return space == MemorySpace::kThreadgroup ? -1 : index;
  }

  // Whether what an access means depends on earlier ones.
  bool has_history() const { return may_be_written || initialised != nullptr; }

  bool contains(const void* pointer) const {
    return reinterpret_cast<std::uintptr_t>(pointer) -
               reinterpret_cast<std::uintptr_t>(address) <
           bytes;
  }
  bool contains(const void* pointer, std::size_t length) const {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(pointer) -
                                  reinterpret_cast<std::uintptr_t>(address);
    return offset < bytes && length <= bytes - offset;
  }
};

}  // namespace flash_attn_mps::simulator
