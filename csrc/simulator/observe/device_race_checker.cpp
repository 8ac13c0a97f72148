// SPDX-License-Identifier: MIT
// Workers run threadgroups at the same time, so the shadow is atomic; its words
// are updated one by one, so a report may name the line of the other access
// imprecisely.
#include "simulator/observe/device_race_checker.h"

#include <algorithm>
#include <string>
#include <utility>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::uint32_t kAtomicMark = 0x80000000U;
constexpr std::uint32_t kManyReadersMark = 0x40000000U;
constexpr std::uint32_t kMarks = kAtomicMark | kManyReadersMark;
constexpr const char* kSharedName = "device races";

DeviceShadow& shared_shadow(DispatchState& state) {
  const std::lock_guard lock(state.shared_mutex);
  auto& shared = state.shared[kSharedName];
  if (shared == nullptr) {
    shared = std::make_unique<DeviceShadow>(state);
  }
  return static_cast<DeviceShadow&>(*shared);
}

}  // namespace

DeviceShadow::DeviceShadow(const DispatchState& state) {
  for (const MemoryRegion& region : state.buffers) {
    if (region.address != nullptr && region.is_writable && region.bytes > 0) {
      buffers_.push_back(
          {&region,
           std::make_unique<ZeroedPages>(region.bytes * sizeof(Byte))});
    }
  }
}

// The first that contains the address: where buffers overlap, all accesses to
// a byte must meet in one shadow.
DeviceShadow::Byte* DeviceShadow::find(const void* address) const {
  for (const Buffer& buffer : buffers_) {
    if (buffer.region->contains(address)) {
      return static_cast<Byte*>(buffer.pages->data()) +
             (static_cast<const char*>(address) - buffer.region->address);
    }
  }
  return nullptr;
}

DeviceRaceChecker::DeviceRaceChecker(DispatchState& state)
    : state_(state), shadow_(shared_shadow(state)) {}

void DeviceRaceChecker::begin_threadgroup(const ThreadgroupContext& context) {
  const GridPosition& at = context.threadgroup_position_in_grid;
  const GridPosition& grid = context.threadgroups_per_grid;
  threadgroup_ = 1 + at.x + grid.x * (at.y + grid.y * at.z);
}

void DeviceRaceChecker::access(const AccessBatch& batch) {
  for (const std::uint8_t index : batch.with_history) {
    const MemoryAccess& access = batch.accesses[index];
    if (access.region->space != MemorySpace::kThreadgroup &&
        access.region->may_be_written) {
      check(batch.lane, access);
    }
  }
}

void DeviceRaceChecker::check(const LaneContext& lane,
                              const MemoryAccess& access) {
  const MemoryRegion& region = *access.region;
  const std::uint32_t site =
      static_cast<std::uint32_t>(access.site -
                                 state_.request->kernel->load_address()) |
      (is_atomic(access.kind) ? kAtomicMark : 0U);
  for (std::size_t byte = 0; byte < access.bytes; ++byte) {
    DeviceShadow::Byte* shadow =
        shadow_.find(region.address + access.offset + byte);
    if (shadow == nullptr) {
      continue;
    }
    if (is_write(access.kind)) {
      write_byte(*shadow, lane, access, site);
    } else {
      read_byte(*shadow, lane, access, site);
    }
  }
}

void DeviceRaceChecker::write_byte(DeviceShadow::Byte& byte,
                                   const LaneContext& lane,
                                   const MemoryAccess& access,
                                   std::uint32_t site) {
  const std::uint32_t writer_site = byte.writer_site.exchange(site);
  const std::uint32_t writer = byte.writer.exchange(threadgroup_);
  const std::uint32_t reader = byte.reader.load();
  const std::uint32_t reader_site = byte.reader_site.load();
  if (writer != 0 && writer != threadgroup_ &&
      (site & writer_site & kAtomicMark) == 0) {
    report(writer, writer_site, lane, access, "written");
  }
  if ((site & reader_site & kAtomicMark) != 0 || reader == 0) {
    return;
  }
  if (reader != threadgroup_) {
    report(reader, reader_site, lane, access, "read");
  } else if ((reader_site & kManyReadersMark) != 0) {
    report(/*other=*/0, reader_site, lane, access, "read");
  }
}

void DeviceRaceChecker::read_byte(DeviceShadow::Byte& byte,
                                  const LaneContext& lane,
                                  const MemoryAccess& access,
                                  std::uint32_t site) {
  std::uint32_t reader = byte.reader.load();
  if (reader == 0 &&
      byte.reader.compare_exchange_strong(reader, threadgroup_)) {
    byte.reader_site.fetch_or(site);
  } else if (reader != threadgroup_ &&
             (byte.reader_site.load() & kManyReadersMark) == 0) {
    byte.reader_site.fetch_or(kManyReadersMark);
  }
  const std::uint32_t writer = byte.writer.load();
  const std::uint32_t writer_site = byte.writer_site.load();
  if (writer != 0 && writer != threadgroup_ &&
      (site & writer_site & kAtomicMark) == 0) {
    report(writer, writer_site, lane, access, "written");
  }
}

void DeviceRaceChecker::report(std::uint32_t other,
                               std::uint32_t other_site,
                               const LaneContext& lane,
                               const MemoryAccess& access,
                               const char* what) {
  if (!state_.reports.is_new(
          ViolationKind::kRace, access.site, /*is_note=*/false)) {
    return;
  }
  Violation violation = violation_of_lane(
      state_,
      ViolationKind::kRace,
      lane,
      access.site,
      std::string(is_write(access.kind) ? "a write" : "a read") +
          " of device memory that another threadgroup of the dispatch accesses "
          "too, in no order");
  name_memory(
      *access.region, static_cast<std::int64_t>(access.offset), violation);
  if (other != 0) {
    const GridPosition& grid = state_.threadgroups;
    const std::uint32_t index = other - 1;
    const GridPosition position = {
        index % grid.x, index / grid.x % grid.y, index / grid.x / grid.y};
    const std::uintptr_t address =
        state_.request->kernel->load_address() + (other_site & ~kMarks);
    violation.other = OtherAccess{{address, {}, 0}, {position, -1, -1}, what};
  }
  state_.reports.add_violation(std::move(violation));
}

}  // namespace flash_attn_mps::simulator
