// SPDX-License-Identifier: MIT
// Whether kernels may run on a device at all: the first call probes how its
// simdgroup_matrix lays elements out over lanes, which Apple does not publish
// and which every kernel rests on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torch/tensor_facts.h"

namespace flash_attn_mps {

// Note [First call on a device]
// On MPS the first call runs the probe lane_layout: one kernel, one product.
// That it passed is remembered in the process and, per machine, macOS and
// torch, on disk. On the simulator nothing is probed unless
// FLASH_ATTN_MPS_PROBE=1, since its layout is the expected one by
// construction; FLASH_ATTN_MPS_PROBE=0 turns the probe off on MPS.

// Why kernels must not run on the tensor's device; "" if they may.
std::string device_refusal(const Tensor& tensor);

// Throws std::runtime_error with that reason.
void require_admitted_device(const Tensor& tensor);

// The difference between what the probe shows and what the kernels expect, in
// one sentence; "" if there is none.
std::string lane_layout_difference(const std::vector<float>& probe_result);

// As an operator: why a call like this cannot be answered by kernels of the
// tensor's device: the device is refused, or a kernel does not compile. Kernels
// are compiled for the forward pass and for the wanted gradients of query, key
// and value. "" if all is well.
std::string call_obstacle(Tensor query,
                          int64_t value_head_dim,
                          bool is_causal,
                          std::vector<bool> wanted_gradients);

}  // namespace flash_attn_mps
