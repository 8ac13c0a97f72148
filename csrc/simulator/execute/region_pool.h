// SPDX-License-Identifier: MIT
// Keeps the stack regions of finished workers for the next dispatch.
#pragma once

#include <memory>

#include "simulator/execute/stack_region.h"

namespace flash_attn_mps::simulator {

// The region returns to the pool when the last owner lets go of it.
std::shared_ptr<StackRegion> borrow_region();

}  // namespace flash_attn_mps::simulator
