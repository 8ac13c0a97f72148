// SPDX-License-Identifier: MIT
// The dialect check in the module _simulator; flash_attn_mps/check_metal.py
// makes the public interface of it.
#pragma once

#include <pybind11/pybind11.h>

namespace flash_attn_mps::simulator {

void bind_dialect(pybind11::module_& module);

}  // namespace flash_attn_mps::simulator
