// SPDX-License-Identifier: MIT
// Runs one grid of a compiled kernel on the simulated GPU and returns what was
// observed. Does not compile, and knows neither torch nor Python.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/execute/loaded_kernel.h"
#include "simulator/execute/memory_region.h"
#include "simulator/metal_headers/runtime_abi.h"
#include "simulator/observe/violation.h"

namespace flash_attn_mps::simulator {

inline constexpr std::size_t kMaxSetBytes = 4096;

struct BufferBinding {
  void* address = nullptr;
  std::size_t bytes = 0;
  bool is_writable = true;
  bool is_set_bytes = false;  // copied by the caller, as Metal's setBytes
  std::uint8_t* initialised = nullptr;  // see MemoryRegion
};

struct DispatchRequest {
  const LoadedKernel* kernel = nullptr;
  GridPosition threads{1, 1, 1};
  GridPosition group{1, 1, 1};
  std::array<std::optional<BufferBinding>, kBufferSlots> buffers;
  std::vector<std::size_t> threadgroup_bytes;
  // 0: natural order; otherwise threadgroups, simdgroups and lanes run in an
  // order drawn from it.
  std::uint64_t seed = 0;
  unsigned workers = 0;  // 0: FLASH_ATTN_MPS_SIMULATOR_THREADS, or all cores
};

struct DispatchReport {
  std::vector<Violation> violations;
  std::vector<Violation> notes;
  std::map<std::string, std::uint64_t> counters;
};

// A limit that the request exceeds is reported before anything runs. After a
// violation that a real GPU could not survive the grid is not finished.
DispatchReport run_dispatch(const DispatchRequest& request);

}  // namespace flash_attn_mps::simulator
