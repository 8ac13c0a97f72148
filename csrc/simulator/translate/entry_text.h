// SPDX-License-Identifier: MIT
// The C++ text of a pipeline's entry: it calls one kernel with proxies for its
// arguments and exports what only the compiler can evaluate.
#pragma once

#include <string>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

inline constexpr const char* kEntrySymbol = "flash_attn_mps_kernel_entry";
// An exported `const int`: [[max_total_threads_per_threadgroup]], 0 if absent.
inline constexpr const char* kMaxTotalThreadsSymbol =
    "flash_attn_mps_kernel_max_total_threads";

std::string entry_text(const KernelDeclaration& kernel);

}  // namespace flash_attn_mps::simulator
