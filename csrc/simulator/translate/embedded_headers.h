// SPDX-License-Identifier: MIT
// The simulator's Metal headers, embedded in the runtime library by setup.py,
// which generates the definitions of these functions.
#pragma once

#include <string_view>
#include <vector>

namespace flash_attn_mps::simulator {

// Text of a file named relative to csrc/simulator/metal_headers, for example
// "metal_stdlib"; empty if there is none.
std::string_view embedded_simulator_header(std::string_view name);

// Every name that embedded_simulator_header knows, sorted.
std::vector<std::string_view> embedded_simulator_header_names();

}  // namespace flash_attn_mps::simulator
