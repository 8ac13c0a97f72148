// SPDX-License-Identifier: MIT
// Addresses for buffers that are not bound: a kernel may carry such a pointer
// as long as it does not use it. Knows no kernel.
#pragma once

#include <optional>

namespace flash_attn_mps::simulator {

// Without checks, what is read there is zero and what is written is lost, as
// long as it lies within the first 256 MB of either side.
void* unbound_address(unsigned index);

// The index whose unbound buffer the address belongs to.
std::optional<unsigned> unbound_index(const void* address);

}  // namespace flash_attn_mps::simulator
