// SPDX-License-Identifier: MIT
// Everything that may allocate or compile happens here, before the command
// block is opened.
#include "dispatch/launch_kernels.h"

#include "dispatch/command_block.h"
#include "dispatch/pipeline_cache.h"
#include "specialize/kernel_spec.h"

namespace flash_attn_mps {
namespace {

KernelLaunch prepare_launch(const AttentionProblem& problem,
                            const PlannedKernel& kernel,
                            const OperandHandles& operands,
                            const DeviceLocation& device) {
  const DispatchPlan& plan = kernel.dispatch;
  const KernelSpec spec = kernel_spec_from_plan(problem, kernel.tiling);
  KernelLaunch launch{.pipeline = &pipeline_cache().get(spec),
                      .tensors = {},
                      .parameter_slot = kParamsBuffer,
                      .parameters = KernelParameters(plan.params, device),
                      .grid_threads = static_cast<uint64_t>(plan.grid_threads),
                      .threads_per_threadgroup =
                          static_cast<uint64_t>(plan.threads_per_threadgroup)};
  for (const BufferBinding& binding : plan.buffers) {
    if (binding.slot != kParamsBuffer) {
      launch.tensors.push_back({.slot = static_cast<unsigned>(binding.slot),
                                .tensor = operands[binding.operand]});
    }
  }
  return launch;
}

}  // namespace

void launch_kernels(const AttentionProblem& problem,
                    const std::vector<PlannedKernel>& kernels,
                    const OperandHandles& operands,
                    const DeviceLocation& device) {
  std::vector<KernelLaunch> launches;
  launches.reserve(kernels.size());
  for (const PlannedKernel& kernel : kernels) {
    launches.push_back(prepare_launch(problem, kernel, operands, device));
  }
  encode(launches);
}

}  // namespace flash_attn_mps
