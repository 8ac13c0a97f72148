// SPDX-License-Identifier: MIT
// What every build calls where an integer is divided by zero: the host would
// end the process there. Metal leaves the result undefined.
#include <cstdint>
#include <string>
#include <utility>

#include "simulator/execute/worker.h"
#include "simulator/metal_headers/runtime_abi.h"
#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {
namespace {

[[noreturn]] void report_division(std::uintptr_t site) {
  const LaneContext& lane = *current_lane();
  Worker& worker = worker_of(lane);
  Violation violation = violation_of_lane(worker.state(),
                                          ViolationKind::kArithmetic,
                                          lane,
                                          site,
                                          "an integer is divided by zero");
  worker.abandon_with(std::move(violation));
}

}  // namespace
}  // namespace flash_attn_mps::simulator

// The name that clang's instrumentation calls.
extern "C" void __ubsan_handle_divrem_overflow(void*, void*, void*) {
  flash_attn_mps::simulator::report_division(
      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}
