// SPDX-License-Identifier: MIT
// Every family of kernels that the package can generate, for tools that compile
// or run them all. A family is what the planner makes of all head dimensions
// that differ in nothing but their size; it has one representative.
#pragma once

#include <vector>

#include "plan/device_traits.h"
#include "specialize/kernel_spec.h"

namespace flash_attn_mps {

// The representative of each family, in a fixed order: all element types,
// maskings and gradients, and the largest head dimensions of each class. Two
// head dimensions are of one class if the planner cuts the work alike and both
// or neither fill whole 8x8 fragments.
std::vector<KernelSpec> kernel_families(const DeviceTraits& traits);

// One word or two for the head dimensions, element type and masking, unique
// among the families: "attention_forward float16 causal D=64 ...".
std::string family_name(const KernelSpec& spec);

}  // namespace flash_attn_mps
