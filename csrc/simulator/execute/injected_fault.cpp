// SPDX-License-Identifier: MIT
// Reads the environment; the parts of the simulator that a fault concerns ask.
#include "simulator/execute/injected_fault.h"

#include <cstdlib>
#include <string>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::string_view kCompilePrefix = "compile:";

std::string_view fault_text() {
  static const char* const value =
      std::getenv("FLASH_ATTN_MPS_SIMULATOR_FAULT");
  return value != nullptr ? value : "";
}

InjectedFault fault_from_text(std::string_view text) {
  if (text == "lane_map") {
    return InjectedFault::kLaneMap;
  }
  if (text == "product") {
    return InjectedFault::kProduct;
  }
  return text.starts_with(kCompilePrefix) ? InjectedFault::kCompile
                                          : InjectedFault::kNone;
}

}  // namespace

InjectedFault injected_fault() {
  static const InjectedFault fault = fault_from_text(fault_text());
  return fault;
}

bool fault_refuses(std::string_view metal_text) {
  if (injected_fault() != InjectedFault::kCompile) {
    return false;
  }
  const std::string call =
      std::string(fault_text().substr(kCompilePrefix.size())) + "(";
  return metal_text.find(call) != std::string_view::npos;
}

}  // namespace flash_attn_mps::simulator
