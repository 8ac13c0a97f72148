// SPDX-License-Identifier: MIT
// One reservation for all slots; pages appear when they are touched.
#include "simulator/execute/unbound_memory.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "simulator/metal_headers/runtime_abi.h"

namespace flash_attn_mps::simulator {
namespace {

constexpr std::size_t kSlotBytes = std::size_t{1} << 29;
constexpr std::size_t kReservedBytes = kBufferSlots * kSlotBytes;

char* reserve() {
  void* address = mmap(nullptr,
                       kReservedBytes,
                       PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1,
                       0);
  if (address == MAP_FAILED) {
    throw std::bad_alloc();
  }
  return static_cast<char*>(address);
}

char* reserved_memory() {
  static char* const address = reserve();
  return address;
}

}  // namespace

void* unbound_address(unsigned index) {
  return reserved_memory() + index * kSlotBytes + kSlotBytes / 2;
}

std::optional<unsigned> unbound_index(const void* address) {
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(address) -
      reinterpret_cast<std::uintptr_t>(reserved_memory());
  if (offset >= kReservedBytes) {
    return std::nullopt;
  }
  return static_cast<unsigned>(offset / kSlotBytes);
}

}  // namespace flash_attn_mps::simulator
