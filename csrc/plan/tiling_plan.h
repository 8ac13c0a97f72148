// SPDX-License-Identifier: MIT
// Which tiles a kernel works in: extents only, the first candidate that fits
// the registers. It knows nothing of grids and buffers; see dispatch_plan.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/device_traits.h"
#include "problem/attention_problem.h"

namespace flash_attn_mps {

enum class KernelName {
  kForward,
  kDelta,
  kBackwardQuery,
  kBackwardKeyValue,
};

// Name of the entry point in the Metal text, for example "attention_forward".
std::string_view kernel_function_name(KernelName kernel);

// Which gradients the backward pass is asked for.
struct RequestedGradients {
  bool query = false;
  bool key = false;
  bool value = false;

  bool operator==(const RequestedGradients&) const = default;
};

// "query, key", ... or "none".
std::string describe(const RequestedGradients& gradients);

struct TilingPlan {
  KernelName kernel = KernelName::kForward;
  // Gradients that this kernel computes; all false in the forward pass and in
  // attention_delta.
  RequestedGradients gradients;
  // Rows of the parallel side (queries; keys in kBackwardKeyValue) owned by one
  // simdgroup, and simdgroups of one threadgroup.
  int rows_per_simdgroup = 8;
  int simdgroups = 4;
  // Rows of the traversed side (keys; queries in kBackwardKeyValue) per step.
  int step_rows = 0;
  int threadgroup_bytes = 0;
  // Estimate of what one lane holds in registers; see Note [Registers].
  int register_bytes = 0;

  int rows_per_threadgroup() const { return rows_per_simdgroup * simdgroups; }
  int threads_per_threadgroup() const { return 32 * simdgroups; }

  bool operator==(const TilingPlan&) const = default;
};

// Tiles of one kernel for a problem. Depends on the head dimensions, never on
// lengths, strides, scale or the number of heads.
TilingPlan plan_tiling(const AttentionProblem& problem,
                       KernelName kernel,
                       const RequestedGradients& gradients,
                       const DeviceTraits& traits);

// One "name: value" line per member.
std::string describe(const TilingPlan& plan);

}  // namespace flash_attn_mps
