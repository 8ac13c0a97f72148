// SPDX-License-Identifier: MIT
// The list of observers.
#include "simulator/observe/observer_set.h"

#include "simulator/execute/worker.h"

namespace flash_attn_mps::simulator {

Observers make_observers(DispatchState& state) {
  Observers observers;
  if (!state.request->kernel->is_checked()) {
    return observers;
  }
  return observers;
}

}  // namespace flash_attn_mps::simulator
