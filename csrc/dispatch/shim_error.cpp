// SPDX-License-Identifier: MIT
// Where the text of a failed call comes from: the simulator's hook for the MPS
// shim on Linux, otherwise torch's own getter.
#include "dispatch/shim_error.h"

#include <dlfcn.h>

#ifndef __APPLE__
#include "simulator/shim/simulator_hooks.h"
#endif

namespace flash_attn_mps {
namespace {

// torch has the getter from 2.13 on, so it is looked up at run time.
std::string last_torch_error_text() {
  using Getter = const char* (*)();
  static const auto getter = reinterpret_cast<Getter>(
      dlsym(RTLD_DEFAULT, "torch_exception_get_what_without_backtrace"));
  const char* const text = getter != nullptr ? getter() : nullptr;
  return text != nullptr ? text : "";
}

std::string text_or_call(std::string text, std::string_view call) {
  if (text.empty()) {
    text = "internal error in " + std::string(call) +
           ": the call failed without a message, please report what standard "
           "error says";
  }
  return text;
}

}  // namespace

std::string last_shim_error_text() {
#ifdef __APPLE__
  return last_torch_error_text();
#else
  const char* const text = flash_attn_mps_simulator_last_error();
  return text != nullptr ? text : "";
#endif
}

std::string shim_failure_text(std::string_view call) {
  return text_or_call(last_shim_error_text(), call);
}

void check_shim(AOTITorchError code, std::string_view call) {
  if (code != AOTI_TORCH_SUCCESS) {
    throw ShimError(shim_failure_text(call));
  }
}

void check_torch(AOTITorchError code, std::string_view call) {
  if (code != AOTI_TORCH_SUCCESS) {
    throw ShimError(text_or_call(last_torch_error_text(), call));
  }
}

}  // namespace flash_attn_mps
