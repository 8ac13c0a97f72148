// SPDX-License-Identifier: MIT
// Encodes kernels on the current MPS stream through torch's C shim, in one
// command block. It allocates and compiles nothing.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim_mps.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "dispatch/kernel_parameters.h"
#include "dispatch/shader_library.h"

namespace flash_attn_mps {

struct TensorBinding {
  unsigned slot = 0;
  // Borrowed; its owner outlives the command block.
  AtenTensorHandle tensor = nullptr;
};

struct KernelLaunch {
  // Borrowed from the pipeline cache, which never lets go.
  const Pipeline* pipeline = nullptr;
  std::vector<TensorBinding> tensors;
  unsigned parameter_slot = 0;
  // Nothing for kernels that take none.
  std::optional<KernelParameters> parameters;
  // Threads, not threadgroups; a full multiple of the group, since Metal would
  // run a partial group without a word.
  uint64_t grid_threads = 0;
  uint64_t threads_per_threadgroup = 0;
};

// Encodes the kernels in their order; a later one sees what an earlier one
// wrote. Throws ShimError after the block if a call in it failed.
void encode(const std::vector<KernelLaunch>& launches);

}  // namespace flash_attn_mps
