// SPDX-License-Identifier: MIT
// Finds two threadgroups of one dispatch that access the same byte of device
// memory, one of them writing: nothing orders them. Atomics against atomics
// are exempt.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "simulator/execute/dispatch_state.h"
#include "simulator/observe/observer.h"
#include "simulator/observe/zeroed_pages.h"

namespace flash_attn_mps::simulator {

// Shadow of all buffers that the dispatch may write, shared by its workers.
class DeviceShadow : public SharedObservation {
 public:
  struct Byte {
    // Number of the last writing and of the first reading threadgroup, from 1;
    // 0: none.
    std::atomic<std::uint32_t> writer;
    std::atomic<std::uint32_t> reader;
    // Return address, as an offset in the kernel's library, with marks: the
    // access was atomic; other threadgroups read as well.
    std::atomic<std::uint32_t> writer_site;
    std::atomic<std::uint32_t> reader_site;
  };

  explicit DeviceShadow(const DispatchState& state);

  // Null when no bound buffer that contains the address may be written.
  Byte* find(const void* address) const;

 private:
  struct Buffer {
    const MemoryRegion* region;
    std::unique_ptr<ZeroedPages> pages;
  };
  std::vector<Buffer> buffers_;
};

class DeviceRaceChecker : public Observer {
 public:
  explicit DeviceRaceChecker(DispatchState& state);

  void begin_threadgroup(const ThreadgroupContext& context) override;
  void access(const AccessBatch& batch) override;

 private:
  void check(const LaneContext& lane, const MemoryAccess& access);
  void write_byte(DeviceShadow::Byte& byte,
                  const LaneContext& lane,
                  const MemoryAccess& access,
                  std::uint32_t site);
  void read_byte(DeviceShadow::Byte& byte,
                 const LaneContext& lane,
                 const MemoryAccess& access,
                 std::uint32_t site);
  void report(std::uint32_t other,
              std::uint32_t other_site,
              const LaneContext& lane,
              const MemoryAccess& access,
              const char* what);

  DispatchState& state_;
  DeviceShadow& shadow_;
  std::uint32_t threadgroup_ = 0;  // number from 1
};

}  // namespace flash_attn_mps::simulator
