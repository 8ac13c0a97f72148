// SPDX-License-Identifier: MIT
// The callbacks that the checked build's compiler inserts (their names are
// those of clang's thread, alignment and array-bounds instrumentation). Every
// access is classified by its address here, judged by bounds, and handed to
// the observers.
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/execute/library_loading.h"
#include "simulator/execute/simdgroup_scheduler.h"
#include "simulator/execute/unbound_memory.h"
#include "simulator/execute/worker.h"
#include "simulator/metal_headers/runtime_abi.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {
namespace {

constexpr std::uintptr_t kRegionMask =
    (std::uintptr_t{1} << kRegionBytesLog2) - 1;

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
      worker.memory_map().find(pointer, 1, /*is_write=*/false, /*site=*/0);
  if (region != nullptr) {
    name_memory(*region, pointer - region->address, violation);
  }
}

// Nothing may touch memory after this: the lane is abandoned.
[[noreturn]] void report_outside(Worker& worker,
                                 const LaneContext& lane,
                                 const MemoryAccess& access,
                                 const void* address) {
  const MemoryRegion* region = access.region != nullptr
                                   ? access.region
                                   : worker.memory_map().nearest(address);
  std::string what = describe(access.kind, access.bytes);
  Violation violation = violation_of_lane(worker.state(),
                                          ViolationKind::kBounds,
                                          lane,
                                          access.site,
                                          std::move(what));
  if (region == nullptr) {
    violation.what += " at an address that belongs to no buffer";
  } else {
    name_memory(*region,
                static_cast<const char*>(address) - region->address,
                violation);
    violation.what += region->space == MemorySpace::kThreadgroup
                          ? " outside the threadgroup array of "
                          : " outside the buffer of ";
    violation.what += std::to_string(region->bytes) + " bytes";
  }
  worker.abandon_with(std::move(violation));
}

[[noreturn]] void report_unbound(Worker& worker,
                                 const LaneContext& lane,
                                 const MemoryAccess& access,
                                 unsigned index) {
  Violation violation = violation_of_lane(
      worker.state(),
      ViolationKind::kBounds,
      lane,
      access.site,
      describe(access.kind, access.bytes) + " of buffer index " +
          std::to_string(index) + ", which is not bound");
  violation.buffer = name_of_buffer(
      worker.state().request->kernel->declaration(), static_cast<int>(index));
  violation.buffer_index = static_cast<int>(index);
  worker.abandon_with(std::move(violation));
}

[[noreturn]] void report_write_to_constant(Worker& worker,
                                           const LaneContext& lane,
                                           const MemoryAccess& access) {
  Violation violation = violation_of_lane(
      worker.state(),
      ViolationKind::kBounds,
      lane,
      access.site,
      describe(access.kind, access.bytes) + " to memory that is constant");
  name_memory(
      *access.region, static_cast<std::int64_t>(access.offset), violation);
  worker.abandon_with(std::move(violation));
}

std::uint16_t pending_products(const LaneContext& lane) {
  const MatrixQueue& queue = lane.simdgroup->matrices;
  return static_cast<std::uint16_t>(
      queue.posted[lane.thread_index_in_simdgroup] - queue.drained);
}

// An access that is in no buffer and no threadgroup array.
void judge_stray(Worker& worker,
                 const LaneContext& lane,
                 const MemoryAccess& access,
                 const void* address) {
  if (!is_write(access.kind) &&
      worker.state().request->kernel->contains(address)) {
    return;  // a constant array of the kernel's own text
  }
  const std::optional<unsigned> unbound = unbound_index(address);
  if (unbound.has_value()) {
    report_unbound(worker, lane, access, *unbound);
  }
  report_outside(worker, lane, access, address);
}

struct RawAccess {
  const char* address;
  std::uint32_t bytes;
  AccessKind kind;
  std::uintptr_t site;
};

inline void record(const LaneContext& lane,
                   AccessLog& log,
                   MemoryRegion* region,
                   const RawAccess& raw) {
  MemoryAccess& access = log.add(*region);
  access.region = region;
  access.offset = static_cast<std::size_t>(raw.address - region->address);
  access.site = raw.site;
  access.bytes = raw.bytes;
  access.kind = raw.kind;
  access.pending_products = region->space == MemorySpace::kThreadgroup
                                ? pending_products(lane)
                                : std::uint16_t{0};
}

// The first access of an instruction, and whatever is wrong with one.
[[gnu::noinline]] void judge(const LaneContext& lane, const RawAccess& raw) {
  Worker& worker = worker_of(lane);
  MemoryRegion* region = worker.memory_map().find(
      raw.address, raw.bytes, is_write(raw.kind), raw.site);
  MemoryAccess refused{region, 0, raw.site, raw.bytes, raw.kind, 0};
  if (region == nullptr) {
    judge_stray(worker, lane, refused, raw.address);
    return;
  }
  refused.offset = static_cast<std::size_t>(raw.address - region->address);
  if (!region->contains(raw.address, raw.bytes)) {
    report_outside(worker, lane, refused, raw.address);
  }
  if (is_write(raw.kind) && !region->is_writable) {
    report_write_to_constant(worker, lane, refused);
  }
  worker.make_room(lane);
  record(lane, worker.access_log(), region, raw);
}

// Calls nothing unless it must: millions of accesses come by.
[[gnu::noinline]] void classify(const void* address,
                                std::uint32_t bytes,
                                AccessKind kind,
                                std::uintptr_t site) {
  if (libraries_being_loaded.load(std::memory_order_relaxed) != 0 &&
      LibraryLoading::is_on_this_thread()) [[unlikely]] {
    return;
  }
  const LaneContext& lane = *current_lane();
  Worker& worker = worker_of(lane);
  const RawAccess raw{static_cast<const char*>(address), bytes, kind, site};
  MemoryRegion* region =
      worker.memory_map().find_last(address, bytes, is_write(kind), site);
  if (region == nullptr || worker.access_log().is_full()) [[unlikely]] {
    judge(lane, raw);
    return;
  }
  record(lane, worker.access_log(), region, raw);
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

[[noreturn]] void report_alignment(const char* address,
                                   std::uintptr_t site,
                                   std::string what) {
  const LaneContext& lane = *current_lane();
  Worker& worker = worker_of(lane);
  Violation violation = violation_of_lane(
      worker.state(), ViolationKind::kAlignment, lane, site, std::move(what));
  name_region(worker, address, violation);
  worker.abandon_with(std::move(violation));
}

[[gnu::noinline]] [[noreturn]] void report_misaligned_access(
    const void* address,
    std::uint32_t bytes,
    AccessKind kind,
    const void* site) {
  report_alignment(
      static_cast<const char*>(address),
      reinterpret_cast<std::uintptr_t>(site),
      describe(kind, bytes) + " at an address that its type does not allow");
}

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
  report_alignment(reinterpret_cast<const char*>(address),
                   site,
                   "an access as " + std::string(check.type->name) +
                       " must be aligned to " +
                       std::to_string(1U << check.alignment_log2) + " bytes");
}

// Where the array itself lies: the last address space that its type names
// before its extent, outside of template arguments and behind a '*'.
std::string_view own_part(std::string_view type) {
  type = type.substr(0, type.find('['));
  const std::size_t arguments = type.rfind('>');
  if (arguments != type.npos && type.find('*', arguments) == type.npos) {
    return type.substr(0, type.find('<'));
  }
  return type.substr(type.rfind('*') + 1);
}

// Generated texts write `T data[1]` for as many elements as a buffer holds; its
// accesses are checked against the buffer.
bool is_of_any_length(const InstrumentedType* array) {
  const std::string_view type(array->name);
  const std::string_view own = own_part(type);
  const bool is_in_buffer =
      own.find("__global") != own.npos || own.find("__constant") != own.npos;
  const std::size_t extent = type.find('[');
  return is_in_buffer && extent != type.npos &&
         type.substr(extent).starts_with("[1]");
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
  worker.abandon_with(std::move(violation));
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
  if (flash_attn_mps::simulator::is_of_any_length(check->array)) {
    return;
  }
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
