// SPDX-License-Identifier: MIT
// What the planner has to know about a GPU. The numbers are limits of hardware,
// not choices; choices are in tiling_plan.cpp.
#pragma once

#include <string>

namespace flash_attn_mps {

struct DeviceTraits {
  std::string name;
  int gpu_cores = 0;
  int max_threads_per_threadgroup = 1024;
  int threadgroup_memory_bytes = 32768;
  // Registers of one lane beyond which a kernel spills to memory or leaves too
  // few simdgroups on a core.
  int register_budget_bytes = 0;

  bool operator==(const DeviceTraits&) const = default;
};

// Traits of an Apple M1 Max: the device that the simulator stands for, and the
// smallest register budget of the supported GPUs.
DeviceTraits m1_max_traits();

// One "name: value" line per member.
std::string describe(const DeviceTraits& traits);

}  // namespace flash_attn_mps
