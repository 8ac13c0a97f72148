// SPDX-License-Identifier: MIT
// `threadgroup` variables of kernels: each declaration becomes a reference
// into the threadgroup's memory, which the runtime hands out by site number.
#pragma once

#include <vector>

#include "simulator/translate/metal_source.h"
#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

std::vector<ThreadgroupVariable> rewrite_threadgroup_variables(
    MetalSource& source);

}  // namespace flash_attn_mps::simulator
