// SPDX-License-Identifier: MIT
// Turns error codes of torch's C shims into exceptions with the text that the
// failed call left behind. The only file pair that knows where that text is.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace flash_attn_mps {

// A call of torch's C shim for MPS that did not succeed.
class ShimError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Text of this thread's last failed call of the MPS shim; empty if there is
// none to be had, as on macOS with torch before 2.13, which prints it to
// standard error instead.
std::string last_shim_error_text();

// The text of the failed call, or a sentence that names the call.
std::string shim_failure_text(std::string_view call);

// Throws ShimError unless the code of a call of the MPS shim means success.
void check_shim(AOTITorchError code, std::string_view call);

// The same for calls that torch itself answers on every platform.
void check_torch(AOTITorchError code, std::string_view call);

}  // namespace flash_attn_mps
