// SPDX-License-Identifier: MIT
// Which observers watch a dispatch: the one list of all checkers and counters.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "simulator/observe/observer.h"

namespace flash_attn_mps::simulator {

struct DispatchState;

// Observers for one worker; none for a kernel of the fast build.
Observers make_observers(DispatchState& state);

}  // namespace flash_attn_mps::simulator
