// SPDX-License-Identifier: MIT
// How a kernel's parameters travel to the device: as bytes in the command
// stream where the running torch can do that, else in a small device tensor.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim_mps.h>

#include <cstdint>
#include <string_view>

namespace flash_attn_mps {

// torch_mps_set_arg_bytes: copies the bytes when it is called, at most 4096.
using SetArgBytes = AOTITorchError (*)(AOTIMetalKernelFunctionHandle function,
                                       unsigned slot,
                                       const void* bytes,
                                       uint64_t size);
inline constexpr std::size_t kSetArgBytesLimit = 4096;

// Note [Newer functions of torch]
// torch has torch_mps_set_arg_bytes from 2.14 on; the package supports 2.10.
// So it is looked up in the process and never linked: one binary serves all
// releases. RTLD_DEFAULT finds it in the torch that the process has loaded.

// The function, or null: it is missing, or FLASH_ATTN_MPS_PARAMETER_ROUTE is
// "tensor", which takes the older way on any torch.
SetArgBytes find_set_arg_bytes();

// "torch_mps_set_arg_bytes" or "device tensor": the way in use.
std::string_view parameter_route_name();

}  // namespace flash_attn_mps
