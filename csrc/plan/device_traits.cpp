// SPDX-License-Identifier: MIT
// The numbers of each known GPU, and their description.
#include "plan/device_traits.h"

#include <sstream>

namespace flash_attn_mps {

DeviceTraits m1_max_traits() {
  // 448 threads of a core share 208 KB of registers when a lane holds 446
  // bytes: public register-use figures of M1, not measured here.
  return {.name = "Apple M1 Max",
          .gpu_cores = 32,
          .max_threads_per_threadgroup = 1024,
          .threadgroup_memory_bytes = 32768,
          .register_budget_bytes = 446};
}

std::string describe(const DeviceTraits& traits) {
  std::ostringstream text;
  text << "name: " << traits.name << "\n"
       << "gpu_cores: " << traits.gpu_cores << "\n"
       << "max_threads_per_threadgroup: " << traits.max_threads_per_threadgroup
       << "\n"
       << "threadgroup_memory_bytes: " << traits.threadgroup_memory_bytes
       << "\n"
       << "register_budget_bytes: " << traits.register_budget_bytes << "\n";
  return text.str();
}

}  // namespace flash_attn_mps
