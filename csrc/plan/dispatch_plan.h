// SPDX-License-Identifier: MIT
// How one kernel is started: grid, buffers and run-time numbers; and which
// kernels a pass consists of. It holds no tensor and calls nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metal/shared/attention_params.h"
#include "metal/shared/buffer_indices.h"
#include "plan/tiling_plan.h"

namespace flash_attn_mps {

// Note [Unused slots]: every slot that a kernel declares is bound. A variant of
// attention_backward_key_value that leaves out one gradient never touches that
// gradient's slot, nor delta's when only grad_value is wanted; `operand` then
// names another operand that exists, so that no slot is empty.
struct BufferBinding {
  AttentionBuffer slot = kParamsBuffer;
  AttentionBuffer operand = kParamsBuffer;

  bool operator==(const BufferBinding&) const = default;
};

struct DispatchPlan {
  // One-dimensional grid; a full multiple of the threadgroup. Zero threads:
  // nothing to do.
  int64_t grid_threads = 0;
  int64_t threads_per_threadgroup = 0;
  std::vector<BufferBinding> buffers;
  AttentionParams params{};

  bool operator==(const DispatchPlan& other) const;
};

struct PlannedKernel {
  TilingPlan tiling;
  DispatchPlan dispatch;

  bool operator==(const PlannedKernel&) const = default;
};

// Grid, buffers and numbers of one kernel.
DispatchPlan plan_dispatch(const AttentionProblem& problem,
                           const TilingPlan& tiling);

// The kernel of the forward pass; none when there is no output and no
// log_sum_exp element to write.
std::vector<PlannedKernel> plan_forward(const AttentionProblem& problem,
                                        const DeviceTraits& traits);

// The kernels of the backward pass in the order of their dispatch; only what
// `gradients` asks for. Kernels without an element to write are left out.
std::vector<PlannedKernel> plan_backward(const AttentionProblem& problem,
                                         const RequestedGradients& gradients,
                                         const DeviceTraits& traits);

// "query", "grad_key", ...: the name of an operand's slot.
std::string_view buffer_name(AttentionBuffer buffer);

// One "name: value" line per member.
std::string describe(const DispatchPlan& plan);

}  // namespace flash_attn_mps
