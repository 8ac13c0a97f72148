// SPDX-License-Identifier: MIT
// What the host code tells and asks the simulator besides torch's C shim. Only
// declared where the simulator exists, that is on Linux.
#pragma once

#include <cstdint>

extern "C" {

// Text of this thread's last failed aoti_torch_mps_* call: a violation's
// paragraph, a compiler's message, or what was called out of order. Valid until
// the thread's next failing call; "" if there was none.
const char* flash_attn_mps_simulator_last_error();

// Says that this memory was allocated for a kernel's result or scratch and
// holds nothing yet, so that reading it before writing it is a fault.
void flash_attn_mps_simulator_announce_uninitialised(const void* data,
                                                     uint64_t bytes);

// Forgets what this thread announced and never bound in a command block: a
// result that was filled without a kernel, or one of a call that failed. Its
// memory may be another tensor's by now.
void flash_attn_mps_simulator_forget_announcements();

}  // extern "C"
