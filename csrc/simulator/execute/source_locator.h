// SPDX-License-Identifier: MIT
// Turns addresses in a compiled kernel into file and line of the Metal text.
// Runs a program that reads the debug information, so only for reports.
#pragma once

#include <string>
#include <vector>

#include "simulator/execute/loaded_kernel.h"
#include "simulator/observe/violation.h"

namespace flash_attn_mps::simulator {

// Fills in the places of all reports that have an address and no file yet. A
// place that cannot be found gets the kernel's own file and line.
void locate_places(std::vector<Violation>& reports, const LoadedKernel& kernel);

}  // namespace flash_attn_mps::simulator
