// SPDX-License-Identifier: MIT
// What all workers and observers of one dispatch share; constant but for the
// reports and the counters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "simulator/execute/dispatch.h"
#include "simulator/execute/memory_region.h"
#include "simulator/execute/report_sink.h"
#include "simulator/metal_headers/runtime_abi.h"

namespace flash_attn_mps::simulator {

using Counters = std::map<std::string, std::uint64_t>;

// State that the observers of different workers share, for example a shadow of
// device memory; made by the first that asks.
class SharedObservation {
 public:
  virtual ~SharedObservation() = default;
};

struct DispatchState {
  const DispatchRequest* request;
  GridPosition threadgroups;
  std::array<MemoryRegion, kBufferSlots> buffers;  // address null: not bound
  ReportSink reports;
  std::mutex shared_mutex;
  Counters counters;
  std::map<std::string, std::unique_ptr<SharedObservation>> shared;
};

// The kernel's name for a buffer slot.
std::string name_of_buffer(const KernelDeclaration& declaration, int index);

// A report about one lane; the caller adds buffer and other access.
Violation violation_of_lane(const DispatchState& state,
                            ViolationKind kind,
                            const LaneContext& lane,
                            CallSite site,
                            std::string what);

// Where in which memory the report belongs, in bytes from the region's first.
void name_memory(const MemoryRegion& region,
                 std::int64_t offset,
                 Violation& violation);

// The same lane as the other party of a report.
OtherAccess other_lane(const LaneContext& lane, std::string what);

}  // namespace flash_attn_mps::simulator
