// SPDX-License-Identifier: MIT
// Brings a kernel's AttentionParams to the device: as bytes of the command
// stream, or in small read-only buffers, cached by content.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim_mps.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dispatch/parameter_route.h"
#include "metal/shared/attention_params.h"

namespace flash_attn_mps {

// torch's numbers of a device, as aoti_torch_get_device_type and
// aoti_torch_get_device_index give them.
struct DeviceLocation {
  int32_t type = 0;
  int32_t index = 0;

  bool operator==(const DeviceLocation&) const = default;
};

struct DeviceMemoryDeleter {
  void operator()(void* memory) const;
};

struct TensorHandleDeleter {
  void operator()(AtenTensorHandle tensor) const;
};

// Device memory with fixed content, and a tensor over it that a kernel can be
// given. Never written after its construction.
class ParameterBuffer {
 public:
  ParameterBuffer(std::string_view bytes, const DeviceLocation& device);

  AtenTensorHandle tensor() const { return tensor_.get(); }

 private:
  // Destroyed in reverse order: the tensor goes before its memory.
  std::unique_ptr<void, DeviceMemoryDeleter> memory_;
  std::unique_ptr<AtenTensorOpaque, TensorHandleDeleter> tensor_;
};

// Note [Evicted parameter buffers]
// A kernel that the GPU has not finished may read a buffer that the cache has
// dropped. That is safe in three steps:
// 1. Between look-up and encoding the caller holds a shared_ptr, so an
//    eviction by another thread cannot free the buffer.
// 2. Binding the buffer to an encoder makes the command buffer retain it until
//    the command buffer has completed; a command buffer does so unless it is
//    made with unretained references, for which torch's MPSStream does not ask.
//    torch's own MPS allocator rests on the same fact: it recycles a freed
//    block only when the retain count of its MTLBuffer is back to one.
// 3. aoti_torch_mps_free only sends `release` to the MTLBuffer that
//    aoti_torch_mps_malloc made with newBufferWithLength, so memory goes when
//    the last command buffer lets go. It is not returned to a pool, and no
//    other buffer can come to lie on it before.
// A buffer is never rewritten, so two kernels in flight cannot see each
// other's parameters. The simulator has finished a kernel when the command
// block returns.
class ParameterBufferCache {
 public:
  explicit ParameterBufferCache(std::size_t capacity) : capacity_(capacity) {}
  ParameterBufferCache(const ParameterBufferCache&) = delete;
  ParameterBufferCache& operator=(const ParameterBufferCache&) = delete;

  // The buffer with this content; made if there is none. Thread-safe.
  std::shared_ptr<const ParameterBuffer> get(std::string_view bytes,
                                             const DeviceLocation& device);

  std::size_t size() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const ParameterBuffer> buffer;
  };

  mutable std::mutex mutex_;
  std::size_t capacity_;
  // Most recently used first.
  std::list<Entry> entries_;
  // Keys are views of the entries' own.
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;
};

// Parameters on their way to one kernel.
class KernelParameters {
 public:
  KernelParameters(const AttentionParams& params, const DeviceLocation& device);

  // Binds the parameters to a slot; only inside a command block.
  AOTITorchError set(AOTIMetalKernelFunctionHandle function,
                     unsigned slot) const;

 private:
  AttentionParams params_;
  SetArgBytes set_arg_bytes_;
  // Null when the parameters travel as bytes.
  std::shared_ptr<const ParameterBuffer> buffer_;
};
static_assert(sizeof(AttentionParams) <= kSetArgBytesLimit);

// Buffers that the process's cache holds now, and the most it ever holds.
std::size_t parameter_buffer_count();
inline constexpr std::size_t kParameterBufferCapacity = 1024;

}  // namespace flash_attn_mps
