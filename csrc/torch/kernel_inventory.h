// SPDX-License-Identifier: MIT
// Operators for whoever compiles or reads every Metal text of the package:
// kernel families and probes by number, as texts.
#pragma once

#include <cstdint>
#include <string>

namespace flash_attn_mps {

// One line for each text: "name\tkernel function\tdtype\tmasking\thead_dim\t
// value_head_dim". Probes come last, with the masking "probe" and no sizes.
std::string kernel_inventory();

// The Metal text of a line of the inventory.
std::string inventory_source(int64_t line);

// Compiles it as the operators do: a kernel stays in the pipeline cache.
// Throws with the compiler's message; returns 0.
int64_t compile_inventory(int64_t line);

// How parameters travel to kernels with the running torch.
std::string parameter_route();

}  // namespace flash_attn_mps
