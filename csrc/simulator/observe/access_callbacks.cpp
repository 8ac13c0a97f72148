// SPDX-License-Identifier: MIT
// The callbacks that the checked build's compiler inserts (their names are
// those of clang's thread, alignment and array-bounds instrumentation). Every
// access is classified by its address here, judged by bounds, and handed to
// the observers.
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "simulator/execute/simdgroup_scheduler.h"
#include "simulator/execute/unbound_memory.h"
#include "simulator/execute/worker.h"
#include "simulator/metal_headers/runtime_abi.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {
namespace {

constexpr std::uintptr_t kRegionMask =
    (std::uintptr_t{1} << kRegionBytesLog2) - 1;

Worker& worker_of(const LaneContext& lane) {
  return *static_cast<SimdgroupScheduler*>(lane.scheduler)->worker;
}

const char* access_name(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "a read";
    case AccessKind::kWrite:
      return "a write";
    case AccessKind::kAtomicRead:
      return "an atomic read";
    case AccessKind::kAtomicStore:
      return "an atomic store";
    case AccessKind::kAtomicUpdate:
      return "an atomic update";
  }
  return "an access";
}

std::string describe(AccessKind kind, std::uint32_t bytes) {
  return std::string(access_name(kind)) + " of " + std::to_string(bytes) +
         (bytes == 1 ? " byte" : " bytes");
}

void name_region(Worker& worker, const char* pointer, Violation& violation) {
  const MemoryRegion* region =
      worker.memory_map().find(pointer, /*is_write=*/false);
  if (region != nullptr) {
    violation.buffer = region->name;
    violation.buffer_index = region->buffer_index();
    violation.offset = pointer - region->address;
  }
}

// Nothing may touch memory after this: the lane is abandoned.
[[noreturn]] void report_outside(Worker& worker,
                                 const MemoryAccess& access,
                                 const void* address) {
  const MemoryRegion* region = access.region != nullptr
                                   ? access.region
                                   : worker.memory_map().nearest(address);
  std::string what = describe(access.kind, access.bytes);
  Violation violation = violation_of_lane(worker.state(),
                                          ViolationKind::kBounds,
                                          *access.lane,
                                          access.site,
                                          std::move(what));
  if (region == nullptr) {
    violation.what += " at an address that belongs to no buffer";
  } else {
    violation.buffer = region->name;
    violation.buffer_index = region->buffer_index();
    violation.offset = static_cast<const char*>(address) - region->address;
    violation.what += region->space == MemorySpace::kThreadgroup
                          ? " outside the threadgroup array of "
                          : " outside the buffer of ";
    violation.what += std::to_string(region->bytes) + " bytes";
  }
  worker.state().reports.add_violation(std::move(violation));
  worker.abandon();
}

[[noreturn]] void report_unbound(Worker& worker,
                                 const MemoryAccess& access,
                                 unsigned index) {
  Violation violation = violation_of_lane(
      worker.state(),
      ViolationKind::kBounds,
      *access.lane,
      access.site,
      describe(access.kind, access.bytes) + " of buffer index " +
          std::to_string(index) + ", which is not bound");
  violation.buffer = name_of_buffer(
      worker.state().request->kernel->declaration(), static_cast<int>(index));
  violation.buffer_index = static_cast<int>(index);
  worker.state().reports.add_violation(std::move(violation));
  worker.abandon();
}

[[noreturn]] void report_write_to_constant(Worker& worker,
                                           const MemoryAccess& access) {
  Violation violation = violation_of_lane(
      worker.state(),
      ViolationKind::kBounds,
      *access.lane,
      access.site,
      describe(access.kind, access.bytes) + " to memory that is constant");
  violation.buffer = access.region->name;
  violation.buffer_index = access.region->buffer_index();
  violation.offset = static_cast<std::int64_t>(access.offset);
  worker.state().reports.add_violation(std::move(violation));
  worker.abandon();
}

[[gnu::noinline]] void classify(const void* address,
                                std::uint32_t bytes,
                                AccessKind kind,
                                std::uintptr_t site) {
  const LaneContext& lane = *current_lane();
  Worker& worker = worker_of(lane);
  MemoryRegion* region = worker.memory_map().find(address, is_write(kind));
  if (region == nullptr && !is_write(kind) &&
      worker.state().request->kernel->contains(address)) {
    return;  // a constant array of the kernel's own text
  }
  MemoryAccess access{region, 0, bytes, kind, &lane, site};
  if (region == nullptr) {
    const std::optional<unsigned> unbound = unbound_index(address);
    if (unbound.has_value()) {
      report_unbound(worker, access, *unbound);
    }
    report_outside(worker, access, address);
  }
  access.offset = static_cast<std::size_t>(static_cast<const char*>(address) -
                                           region->address);
  if (access.offset + bytes > region->bytes) {
    report_outside(worker, access, address);
  }
  if (is_write(kind) && !region->is_writable) {
    report_write_to_constant(worker, access);
  }
  for (const auto& observer : worker.observers()) {
    observer->access(access);
  }
}

AccessKind atomic_access_kind(unsigned operation) {
  switch (operation) {
    case kAtomicLoad:
      return AccessKind::kAtomicRead;
    case kAtomicStore:
      return AccessKind::kAtomicStore;
    default:
      return AccessKind::kAtomicUpdate;
  }
}

// Private variables that escape, and the runtime's own data, lie in the
// worker's region.
inline bool is_private(const void* address) {
  const auto stack =
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return (reinterpret_cast<std::uintptr_t>(address) ^ stack) <= kRegionMask;
}

inline void observe(const void* address,
                    std::uint32_t bytes,
                    AccessKind kind,
                    const void* site) {
  if (!is_private(address)) {
    classify(address, bytes, kind, reinterpret_cast<std::uintptr_t>(site));
  }
}

[[noreturn]] void report_misaligned_access(const void* address,
                                           std::uint32_t bytes,
                                           AccessKind kind,
                                           const void* site);

// The compiler calls these where the type promises alignment: all of it for up
// to 8 bytes, and for the vectors, the only values of 16 bytes that are not
// private.
template <std::uint32_t kBytes>
inline void observe_aligned(const void* address,
                            AccessKind kind,
                            const void* site) {
  if (is_private(address)) {
    return;
  }
  if ((reinterpret_cast<std::uintptr_t>(address) & (kBytes - 1)) != 0) {
    report_misaligned_access(address, kBytes, kind, site);
  }
  classify(address, kBytes, kind, reinterpret_cast<std::uintptr_t>(site));
}

// What clang passes to the handlers of its alignment and array-bounds checks.
struct InstrumentedPlace {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};
struct InstrumentedType {
  std::uint16_t kind;
  std::uint16_t info;
  char name[1];  // longer; ends with a zero
};
struct MisalignedAccess {
  InstrumentedPlace place;
  const InstrumentedType* type;
  std::uint8_t alignment_log2;
  std::uint8_t kind;
};
struct IndexOutOfBounds {
  InstrumentedPlace place;
  const InstrumentedType* array;
  const InstrumentedType* index;
};

[[noreturn]] void report_misaligned(const MisalignedAccess& check,
                                    std::uintptr_t address,
                                    std::uintptr_t site) {
  const LaneContext& lane = *current_lane();
  Worker& worker = worker_of(lane);
  Violation violation = violation_of_lane(
      worker.state(),
      ViolationKind::kAlignment,
      lane,
      site,
      "an access as " + std::string(check.type->name) + " must be aligned to " +
          std::to_string(1U << check.alignment_log2) + " bytes");
  name_region(worker, reinterpret_cast<const char*>(address), violation);
  worker.state().reports.add_violation(std::move(violation));
  worker.abandon();
}

[[noreturn]] void report_misaligned_access(const void* address,
                                           std::uint32_t bytes,
                                           AccessKind kind,
                                           const void* site) {
  const LaneContext& lane = *current_lane();
  Worker& worker = worker_of(lane);
  Violation violation = violation_of_lane(
      worker.state(),
      ViolationKind::kAlignment,
      lane,
      reinterpret_cast<std::uintptr_t>(site),
      describe(kind, bytes) + " at an address that its type does not allow");
  name_region(worker, static_cast<const char*>(address), violation);
  worker.state().reports.add_violation(std::move(violation));
  worker.abandon();
}

[[noreturn]] void report_index(const IndexOutOfBounds& check,
                               std::uintptr_t index,
                               std::uintptr_t site) {
  const LaneContext& lane = *current_lane();
  Worker& worker = worker_of(lane);
  Violation violation = violation_of_lane(
      worker.state(),
      ViolationKind::kBounds,
      lane,
      site,
      "index " + std::to_string(static_cast<std::int64_t>(index)) +
          " lies outside an array of type " + check.array->name);
  violation.buffer = "array of type " + std::string(check.array->name);
  violation.offset = static_cast<std::int64_t>(index);
  worker.state().reports.add_violation(std::move(violation));
  worker.abandon();
}

}  // namespace
}  // namespace flash_attn_mps::simulator

using flash_attn_mps::simulator::AccessKind;
using flash_attn_mps::simulator::IndexOutOfBounds;
using flash_attn_mps::simulator::MisalignedAccess;

// Callbacks for each size and for each alignment class.
#define FLASH_ATTN_MPS_ACCESS(NAME, BYTES, KIND)                        \
  void __tsan_##NAME##BYTES(void* address) {                            \
    flash_attn_mps::simulator::observe_aligned<BYTES>(                  \
        address, AccessKind::KIND, __builtin_return_address(0));        \
  }                                                                     \
  void __tsan_unaligned_##NAME##BYTES(void* address) {                  \
    flash_attn_mps::simulator::observe(                                 \
        address, BYTES, AccessKind::KIND, __builtin_return_address(0)); \
  }
#define FLASH_ATTN_MPS_ACCESSES(BYTES)               \
  FLASH_ATTN_MPS_ACCESS(read, BYTES, kRead)          \
  FLASH_ATTN_MPS_ACCESS(write, BYTES, kWrite)        \
  FLASH_ATTN_MPS_ACCESS(volatile_read, BYTES, kRead) \
  FLASH_ATTN_MPS_ACCESS(volatile_write, BYTES, kWrite)

extern "C" {

FLASH_ATTN_MPS_ACCESSES(1)
FLASH_ATTN_MPS_ACCESSES(2)
FLASH_ATTN_MPS_ACCESSES(4)
FLASH_ATTN_MPS_ACCESSES(8)
FLASH_ATTN_MPS_ACCESSES(16)

void __tsan_init() {}

void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void* __tsan_memcpy(void* destination, const void* source, std::size_t bytes) {
  const void* site = __builtin_return_address(0);
  const auto length = static_cast<std::uint32_t>(bytes);
  flash_attn_mps::simulator::observe(source, length, AccessKind::kRead, site);
  flash_attn_mps::simulator::observe(
      destination, length, AccessKind::kWrite, site);
  return std::memcpy(destination, source, bytes);
}

void* __tsan_memmove(void* destination, const void* source, std::size_t bytes) {
  const void* site = __builtin_return_address(0);
  const auto length = static_cast<std::uint32_t>(bytes);
  flash_attn_mps::simulator::observe(source, length, AccessKind::kRead, site);
  flash_attn_mps::simulator::observe(
      destination, length, AccessKind::kWrite, site);
  return std::memmove(destination, source, bytes);
}

void* __tsan_memset(void* destination, int value, std::size_t bytes) {
  flash_attn_mps::simulator::observe(destination,
                                     static_cast<std::uint32_t>(bytes),
                                     AccessKind::kWrite,
                                     __builtin_return_address(0));
  return std::memset(destination, value, bytes);
}

void __ubsan_handle_type_mismatch_v1(MisalignedAccess* check,
                                     std::uintptr_t address) {
  flash_attn_mps::simulator::report_misaligned(
      *check,
      address,
      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

void __ubsan_handle_out_of_bounds(IndexOutOfBounds* check,
                                  std::uintptr_t index) {
  flash_attn_mps::simulator::report_index(
      *check,
      index,
      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

}  // extern "C"

void flash_attn_mps_atomic_access(void* address,
                                  unsigned bytes,
                                  unsigned operation) {
  flash_attn_mps::simulator::observe(
      address,
      bytes,
      flash_attn_mps::simulator::atomic_access_kind(operation),
      __builtin_return_address(0));
}
