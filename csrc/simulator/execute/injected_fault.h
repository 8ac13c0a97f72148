// SPDX-License-Identifier: MIT
// Test only: makes the simulated GPU wrong on purpose, so that tests can show
// that `python -m flash_attn_mps check` reports a GPU that really is.
// FLASH_ATTN_MPS_SIMULATOR_FAULT chooses the fault; it is read once.
#pragma once

#include <string_view>

namespace flash_attn_mps::simulator {

enum class InjectedFault {
  kNone,
  // "lane_map": lanes hold other elements of a matrix than on known GPUs.
  kLaneMap,
  // "product": one element of every matrix product is off by one part in 64.
  kProduct,
  // "compile:NAME": a Metal text with a function NAME does not compile.
  kCompile,
};

InjectedFault injected_fault();

// Whether the text is one that the injected fault keeps from compiling.
bool fault_refuses(std::string_view metal_text);

}  // namespace flash_attn_mps::simulator
