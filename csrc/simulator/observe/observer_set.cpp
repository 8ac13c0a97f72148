// SPDX-License-Identifier: MIT
// The list of observers.
#include "simulator/observe/observer_set.h"

#include "simulator/execute/dispatch_state.h"
#include "simulator/observe/device_race_checker.h"
#include "simulator/observe/initialisation_checker.h"
#include "simulator/observe/line_counter.h"
#include "simulator/observe/operation_counter.h"
#include "simulator/observe/threadgroup_race_checker.h"

namespace flash_attn_mps::simulator {

Observers make_observers(DispatchState& state) {
  Observers observers;
  if (!state.request->kernel->is_checked()) {
    return observers;
  }
  observers.push_back(std::make_unique<InitialisationChecker>(state));
  observers.push_back(std::make_unique<ThreadgroupRaceChecker>(state));
  observers.push_back(std::make_unique<DeviceRaceChecker>(state));
  observers.push_back(std::make_unique<OperationCounter>(state));
  observers.push_back(std::make_unique<LineCounter>());
  return observers;
}

}  // namespace flash_attn_mps::simulator
