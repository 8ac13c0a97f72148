// SPDX-License-Identifier: MIT
// Runs the kernels of metal/probes/, which show what a GPU does. What they
// ought to show is known to whoever asks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torch/tensor_facts.h"

namespace flash_attn_mps {

struct ProbeLaunch {
  std::string probe;
  ElementType element_type = ElementType::kFloat32;
  int64_t result_elements = 0;
  int64_t threads = 0;
  int64_t threads_per_threadgroup = 0;
};

// The float32 result of a probe whose slot 0 is the result and slot 1 the
// input, on the input's device. Elements that nothing wrote are NaN.
Tensor run_probe(const ProbeLaunch& launch, const Tensor& input);

// The same as an operator.
Tensor run_named_probe(std::string probe,
                       std::string dtype,
                       Tensor input,
                       int64_t result_elements,
                       int64_t threads,
                       int64_t threads_per_threadgroup);

// The elements of a float32 tensor of any device.
std::vector<float> read_floats(const Tensor& tensor);

}  // namespace flash_attn_mps
