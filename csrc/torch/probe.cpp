// SPDX-License-Identifier: MIT
// Probes are compiled at each use: they run once or twice in a process.
#include "torch/probe.h"

#include <torch/csrc/stable/ops.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dispatch/command_block.h"
#include "dispatch/shim_error.h"
#include "specialize/kernel_source.h"
#include "torch/allocation.h"

namespace flash_attn_mps {

Tensor run_probe(const ProbeLaunch& launch, const Tensor& input) {
  const Pipeline pipeline(probe_source(launch.probe, launch.element_type),
                          launch.probe);
  Tensor result = allocate(row_major_layout({launch.result_elements}),
                           input,
                           aoti_torch_dtype_float32());
  torch::stable::fill_(result, std::numeric_limits<double>::quiet_NaN());
  std::vector<TensorBinding> tensors{{.slot = 0, .tensor = result.get()}};
  // A tensor without elements has no buffer; its probe reads none.
  if (input.numel() > 0) {
    tensors.push_back({.slot = 1, .tensor = input.get()});
  }
  encode({{.pipeline = &pipeline,
           .tensors = std::move(tensors),
           .parameter_slot = 0,
           .parameters = std::nullopt,
           .grid_threads = static_cast<uint64_t>(launch.threads),
           .threads_per_threadgroup =
               static_cast<uint64_t>(launch.threads_per_threadgroup)}});
  return result;
}

Tensor run_named_probe(std::string probe,
                       std::string dtype,
                       Tensor input,
                       int64_t result_elements,
                       int64_t threads,
                       int64_t threads_per_threadgroup) {
  const auto element_type = element_type_from_name(dtype);
  if (!element_type) {
    throw std::runtime_error(
        "flash_attn_mps::run_probe: dtype must be float32, float16 or "
        "bfloat16; got " +
        dtype + ".");
  }
  return run_probe({.probe = std::move(probe),
                    .element_type = *element_type,
                    .result_elements = result_elements,
                    .threads = threads,
                    .threads_per_threadgroup = threads_per_threadgroup},
                   input);
}

std::vector<float> read_floats(const Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.numel()));
  const std::array<int64_t, 1> sizes{tensor.numel()};
  const std::array<int64_t, 1> strides{1};
  AtenTensorHandle handle = nullptr;
  check_torch(aoti_torch_create_tensor_from_blob(values.data(),
                                                 /*ndim=*/1,
                                                 sizes.data(),
                                                 strides.data(),
                                                 /*storage_offset=*/0,
                                                 aoti_torch_dtype_float32(),
                                                 aoti_torch_device_type_cpu(),
                                                 /*device_index=*/0,
                                                 &handle),
              "aoti_torch_create_tensor_from_blob");
  Tensor host(handle);
  // Blocking, so the values are there when it returns.
  torch::stable::copy_(host, tensor, /*non_blocking=*/false);
  return values;
}

}  // namespace flash_attn_mps
