// SPDX-License-Identifier: MIT
// From planned kernels to encoded ones: specs, pipelines, parameters and
// bindings. It decides nothing about tiles or grids.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim_mps.h>

#include <array>
#include <vector>

#include "dispatch/kernel_parameters.h"
#include "plan/dispatch_plan.h"
#include "problem/attention_problem.h"

namespace flash_attn_mps {

// The tensor of every operand by its slot number; null where the pass has
// none. Borrowed.
using OperandHandles = std::array<AtenTensorHandle, kAttentionBufferCount>;

// Compiles what is not compiled yet and encodes the kernels on the current
// stream, in their order. Throws ShimError.
void launch_kernels(const AttentionProblem& problem,
                    const std::vector<PlannedKernel>& kernels,
                    const OperandHandles& operands,
                    const DeviceLocation& device);

}  // namespace flash_attn_mps
