// SPDX-License-Identifier: MIT
// The look-up is made once; the environment variable is read at each call, so
// that one process can compare the two ways.
#include "dispatch/parameter_route.h"

#include <dlfcn.h>

#include <cstdlib>

namespace flash_attn_mps {
namespace {

bool is_tensor_route_forced() {
  const char* const route = std::getenv("FLASH_ATTN_MPS_PARAMETER_ROUTE");
  return route != nullptr && std::string_view(route) == "tensor";
}

}  // namespace

SetArgBytes find_set_arg_bytes() {
  static const auto function = reinterpret_cast<SetArgBytes>(
      dlsym(RTLD_DEFAULT, "torch_mps_set_arg_bytes"));
  return is_tensor_route_forced() ? nullptr : function;
}

std::string_view parameter_route_name() {
  return find_set_arg_bytes() != nullptr ? "torch_mps_set_arg_bytes"
                                         : "device tensor";
}

}  // namespace flash_attn_mps
