// SPDX-License-Identifier: MIT
// Allocation through torch's stable ABI.
#include "torch/allocation.h"

#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "dispatch/shim_error.h"

#ifndef __APPLE__
#include "simulator/shim/simulator_hooks.h"
#endif

namespace flash_attn_mps {
namespace {

Tensor empty_strided(const TensorLayout& layout,
                     int32_t dtype,
                     const DeviceLocation& device) {
  AtenTensorHandle handle = nullptr;
  check_torch(
      aoti_torch_empty_strided(static_cast<int64_t>(layout.sizes.size()),
                               layout.sizes.data(),
                               layout.strides.data(),
                               dtype,
                               device.type,
                               device.index,
                               &handle),
      "aoti_torch_empty_strided");
  return Tensor(handle);
}

// True if the elements fill a block of memory without gaps or overlap, which
// is when torch.empty_like keeps the strides as they are.
bool is_dense(std::span<const int64_t> sizes,
              std::span<const int64_t> strides) {
  std::vector<std::pair<int64_t, int64_t>> steps;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1) {
      steps.emplace_back(strides[i], sizes[i]);
    }
  }
  std::ranges::sort(steps);
  int64_t expected = 1;
  for (const auto& [stride, size] : steps) {
    if (stride != expected) {
      return false;
    }
    expected *= size;
  }
  return true;
}

// How torch.empty_like lays a tensor out. Where it has to choose strides torch
// itself is asked, on the meta device, where a tensor has no memory.
std::vector<int64_t> empty_like_strides(const Tensor& input) {
  const auto sizes = sizes_of(input);
  const auto strides = strides_of(input);
  if (is_dense(sizes, strides)) {
    return {strides.begin(), strides.end()};
  }
  const TensorLayout layout{.sizes = {sizes.begin(), sizes.end()},
                            .strides = {strides.begin(), strides.end()}};
  const DeviceLocation meta{.type = aoti_torch_device_type_meta(), .index = 0};
  const Tensor result = torch::stable::empty_like(
      empty_strided(layout, aoti_torch_dtype_uint8(), meta));
  const auto dense = strides_of(result);
  return {dense.begin(), dense.end()};
}

bool poison_is_on() {
  const char* const value = std::getenv("FLASH_ATTN_MPS_POISON");
  return value != nullptr && std::string_view(value) == "1";
}

void announce_uninitialised([[maybe_unused]] const Tensor& tensor) {
#ifndef __APPLE__
  const auto bytes = static_cast<uint64_t>(tensor.numel()) *
                     static_cast<uint64_t>(tensor.element_size());
  flash_attn_mps_simulator_announce_uninitialised(tensor.data_ptr(), bytes);
#endif
}

}  // namespace

TensorLayout row_major_layout(std::vector<int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    // As in torch, whose strides of an empty tensor are those of sizes >= 1.
    stride *= sizes[i] > 1 ? sizes[i] : 1;
  }
  return {.sizes = std::move(sizes), .strides = std::move(strides)};
}

TensorLayout result_layout(const Tensor& input, int64_t last_size) {
  const auto input_sizes = sizes_of(input);
  const auto input_strides = strides_of(input);
  std::vector<int64_t> sizes(input_sizes.begin(), input_sizes.end());
  sizes.back() = last_size;
  if (input_strides.back() != 1) {
    return row_major_layout(std::move(sizes));
  }
  std::vector<int64_t> strides = empty_like_strides(input);
  if (strides.back() != 1 && input_sizes.back() > 1) {
    // empty_like orders overlapping rows by size.
    return row_major_layout(std::move(sizes));
  }
  if (last_size != input_sizes.back()) {
    // Equal sizes take no division, which could be one by 0.
    const int64_t factor = std::max<int64_t>(last_size, 1);
    for (std::size_t i = 0; i + 1 < strides.size(); ++i) {
      strides[i] = strides[i] / input_sizes.back() * factor;
    }
  }
  strides.back() = 1;
  return {.sizes = std::move(sizes), .strides = std::move(strides)};
}

void begin_allocations() {
#ifndef __APPLE__
  flash_attn_mps_simulator_forget_announcements();
#endif
}

Tensor allocate(const TensorLayout& layout, const Tensor& like, int32_t dtype) {
  Tensor tensor = empty_strided(layout, dtype, device_of(like));
  announce_uninitialised(tensor);
  if (poison_is_on()) {
    torch::stable::fill_(tensor, std::numeric_limits<double>::quiet_NaN());
  }
  return tensor;
}

}  // namespace flash_attn_mps
