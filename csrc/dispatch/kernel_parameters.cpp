// SPDX-License-Identifier: MIT
// Parameter buffers through aoti_torch_mps_malloc, _memcpy and
// aoti_torch_create_tensor_from_blob, which every torch from 2.10 has. They are
// made only where parameters cannot travel as bytes.
#include "dispatch/kernel_parameters.h"

#include <array>

#include "dispatch/shim_error.h"

namespace flash_attn_mps {
namespace {

std::string cache_key(std::string_view bytes, const DeviceLocation& device) {
  std::string key(bytes);
  key.append(reinterpret_cast<const char*>(&device.type), sizeof(device.type));
  key.append(reinterpret_cast<const char*>(&device.index),
             sizeof(device.index));
  return key;
}

// Never destroyed: torch's device may be gone before static objects are.
ParameterBufferCache& parameter_buffer_cache() {
  static ParameterBufferCache* const cache =
      new ParameterBufferCache(kParameterBufferCapacity);
  return *cache;
}

}  // namespace

void DeviceMemoryDeleter::operator()(void* memory) const {
  // A deleter must not throw; see Note [Evicted parameter buffers].
  static_cast<void>(aoti_torch_mps_free(memory));
}

void TensorHandleDeleter::operator()(AtenTensorHandle tensor) const {
  static_cast<void>(aoti_torch_delete_tensor_object(tensor));
}

ParameterBuffer::ParameterBuffer(std::string_view bytes,
                                 const DeviceLocation& device) {
  void* memory = nullptr;
  check_shim(aoti_torch_mps_malloc(&memory, bytes.size()),
             "aoti_torch_mps_malloc");
  memory_.reset(memory);
  // The shim takes a pointer to non-const bytes and only reads them.
  std::string copy(bytes);
  check_shim(aoti_torch_mps_memcpy(memory,
                                   /*constant_offset=*/0,
                                   /*bytes_read=*/0,
                                   copy.size(),
                                   reinterpret_cast<uint8_t*>(copy.data())),
             "aoti_torch_mps_memcpy");
  const std::array<int64_t, 1> sizes{static_cast<int64_t>(bytes.size())};
  const std::array<int64_t, 1> strides{1};
  AtenTensorHandle tensor = nullptr;
  check_torch(aoti_torch_create_tensor_from_blob(memory,
                                                 /*ndim=*/1,
                                                 sizes.data(),
                                                 strides.data(),
                                                 /*storage_offset=*/0,
                                                 aoti_torch_dtype_uint8(),
                                                 device.type,
                                                 device.index,
                                                 &tensor),
              "aoti_torch_create_tensor_from_blob");
  tensor_.reset(tensor);
}

std::shared_ptr<const ParameterBuffer> ParameterBufferCache::get(
    std::string_view bytes,
    const DeviceLocation& device) {
  std::string key = cache_key(bytes, device);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = index_.find(key);
  if (found != index_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->buffer;
  }
  auto buffer = std::make_shared<const ParameterBuffer>(bytes, device);
  entries_.push_front({.key = std::move(key), .buffer = buffer});
  index_.emplace(entries_.front().key, entries_.begin());
  if (entries_.size() > capacity_) {
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return buffer;
}

std::size_t ParameterBufferCache::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entries_.size();
}

KernelParameters::KernelParameters(const AttentionParams& params,
                                   const DeviceLocation& device)
    : params_(params), set_arg_bytes_(find_set_arg_bytes()) {
  if (set_arg_bytes_ == nullptr) {
    buffer_ = parameter_buffer_cache().get(
        {reinterpret_cast<const char*>(&params), sizeof(params)}, device);
  }
}

AOTITorchError KernelParameters::set(AOTIMetalKernelFunctionHandle function,
                                     unsigned slot) const {
  if (set_arg_bytes_ != nullptr) {
    return set_arg_bytes_(function, slot, &params_, sizeof(params_));
  }
  return aoti_torch_mps_set_arg_tensor(function, slot, buffer_->tensor());
}

std::size_t parameter_buffer_count() {
  return parameter_buffer_cache().size();
}

}  // namespace flash_attn_mps
