// SPDX-License-Identifier: MIT
// The callback of a command block runs on the stream's serial queue: only
// set-argument and dispatch calls happen in it, and no exception leaves it.
#include "dispatch/command_block.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "dispatch/shim_error.h"

namespace flash_attn_mps {
namespace {

// What the callback works on, and what it has to report.
struct Block {
  const std::vector<KernelLaunch>* launches = nullptr;
  std::string error;
};

bool succeeded(AOTITorchError code, const char* call, Block& block) {
  if (code == AOTI_TORCH_SUCCESS) {
    return true;
  }
  block.error = shim_failure_text(call);
  return false;
}

bool encode_launch(const KernelLaunch& launch, Block& block) {
  AOTIMetalKernelFunctionHandle function = launch.pipeline->function();
  if (!succeeded(aoti_torch_mps_start_encoding(function),
                 "aoti_torch_mps_start_encoding",
                 block)) {
    return false;
  }
  for (const TensorBinding& binding : launch.tensors) {
    if (!succeeded(aoti_torch_mps_set_arg_tensor(
                       function, binding.slot, binding.tensor),
                   "aoti_torch_mps_set_arg_tensor",
                   block)) {
      return false;
    }
  }
  if (launch.parameters &&
      !succeeded(launch.parameters->set(function, launch.parameter_slot),
                 "setting the kernel's parameters",
                 block)) {
    return false;
  }
  return succeeded(
      aoti_torch_mps_dispatch_single_with_group_size(
          function, launch.grid_threads, launch.threads_per_threadgroup),
      "aoti_torch_mps_dispatch_single_with_group_size",
      block);
}

// Building the text of an error may run out of memory, hence the handler: an
// exception must not cross the C frames between the block and encode().
void encode_block(AOTIMetalKernelFunctionHandle /*function*/, void* user_data) {
  Block& block = *static_cast<Block*>(user_data);
  try {
    // Stops at the first that fails.
    static_cast<void>(std::ranges::all_of(*block.launches,
                                          [&block](const KernelLaunch& launch) {
                                            return encode_launch(launch, block);
                                          }));
  } catch (const std::exception& error) {
    block.error = error.what();
  }
}

// A kernel's handle holds its current encoder, so two threads must not encode
// with one handle at a time.
std::mutex& encoding_mutex() {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}

}  // namespace

void encode(const std::vector<KernelLaunch>& launches) {
  if (launches.empty()) {
    return;
  }
  Block block{.launches = &launches, .error = {}};
  const std::lock_guard<std::mutex> lock(encoding_mutex());
  const AOTITorchError code = aoti_torch_mps_run_command_block(
      launches.front().pipeline->function(), encode_block, &block);
  if (!block.error.empty()) {
    throw ShimError(block.error);
  }
  check_shim(code, "aoti_torch_mps_run_command_block");
}

}  // namespace flash_attn_mps
