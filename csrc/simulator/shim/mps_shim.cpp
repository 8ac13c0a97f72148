// SPDX-License-Identifier: MIT
// Defines torch's C shim for MPS (aoti_torch_mps_*, torch_mps_set_arg_bytes) on
// Linux, over the simulated device. As strict as the real one or stricter:
// every misuse is an error code with a sentence, nothing is thrown.
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/inductor/aoti_torch/c/shim_mps.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/execute/command_encoder.h"
#include "simulator/execute/injected_fault.h"
#include "simulator/execute/kernel_library.h"
#include "simulator/shim/simulator_hooks.h"

#define FLASH_ATTN_SHIM __attribute__((visibility("default")))

namespace simulator = flash_attn_mps::simulator;

struct AOTIMetalKernelFunctionOpaque {
  explicit AOTIMetalKernelFunctionOpaque(
      std::shared_ptr<const simulator::LoadedKernel> kernel)
      : function(std::move(kernel)) {}
  simulator::KernelFunction function;
};

// Owns the functions that were taken from it, as torch's library does.
struct AOTIMetalShaderLibraryOpaque {
  explicit AOTIMetalShaderLibraryOpaque(
      const simulator::CompileRequest& request)
      : library(request) {}
  simulator::KernelLibrary library;
  std::map<std::string, std::unique_ptr<AOTIMetalKernelFunctionOpaque>>
      functions;
};

namespace {

using simulator::EncoderError;
using simulator::GridPosition;

constexpr AOTITorchError kSuccess = 0;
constexpr AOTITorchError kFailure = 1;

thread_local std::string last_error;

template <typename Action>
AOTITorchError guarded(const Action& action) {
  try {
    action();
    return kSuccess;
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "internal error in the simulator: an unknown exception";
  }
  return kFailure;
}

void require(bool condition, const char* sentence) {
  if (!condition) {
    throw EncoderError(sentence);
  }
}

simulator::KernelFunction& function_of(AOTIMetalKernelFunctionHandle handle) {
  require(handle != nullptr, "the kernel function must not be null");
  return handle->function;
}

void check_torch(AOTITorchError code) {
  require(code == kSuccess, "internal error: torch cannot describe a tensor");
}

void check_ascii(const char* text) {
  const auto is_ascii = [](char letter) {
    return static_cast<unsigned char>(letter) < 0x80;
  };
  require(std::ranges::all_of(std::string_view(text), is_ascii),
          "create_shader_library: Metal text must be 7-bit ASCII; got another "
          "character");
}

simulator::CompileRequest request_for(const char* source) {
  simulator::CompileRequest request;
  request.source = source;
  request.build = simulator::checks_are_on() ? simulator::Build::kChecked
                                             : simulator::Build::kFast;
  return request;
}

// First and last byte that sizes and strides address, as a range.
struct AddressedMemory {
  void* address;
  std::size_t bytes;
};

AddressedMemory addressed_memory(AtenTensorHandle tensor) {
  void* address = nullptr;
  int64_t dimensions = 0;
  int64_t* sizes = nullptr;
  int64_t* strides = nullptr;
  int32_t dtype = 0;
  check_torch(aoti_torch_get_data_ptr(tensor, &address));
  check_torch(aoti_torch_get_dim(tensor, &dimensions));
  check_torch(aoti_torch_get_sizes(tensor, &sizes));
  check_torch(aoti_torch_get_strides(tensor, &strides));
  check_torch(aoti_torch_get_dtype(tensor, &dtype));
  std::size_t last_element = 0;
  for (int64_t dimension = 0; dimension < dimensions; ++dimension) {
    require(sizes[dimension] > 0,
            "set_arg_tensor: a tensor without elements has no buffer to bind");
    last_element += static_cast<std::size_t>(sizes[dimension] - 1) *
                    static_cast<std::size_t>(strides[dimension]);
  }
  const std::size_t element_bytes = aoti_torch_dtype_element_size(dtype);
  return {address, (last_element + 1) * element_bytes};
}

unsigned thread_count(uint64_t length) {
  require(length > 0, "dispatch: the number of threads must be positive");
  require(length <= std::numeric_limits<uint32_t>::max(),
          "dispatch: at most 2^32 - 1 threads fit into one dimension");
  return static_cast<unsigned>(length);
}

GridPosition extents(std::span<const uint64_t> lengths) {
  GridPosition size{thread_count(lengths[0]), 1, 1};
  if (lengths.size() > 1) {
    size.y = thread_count(lengths[1]);
  }
  if (lengths.size() > 2) {
    size.z = thread_count(lengths[2]);
  }
  return size;
}

void check_dimensions(const uint64_t* lengths, std::size_t count) {
  require(lengths != nullptr && count >= 1 && count <= 3,
          "dispatch: lengths of 1 to 3 dimensions must be given");
}

// Blocks of memory from aoti_torch_mps_malloc, with their sizes.
struct DeviceHeap {
  std::mutex mutex;
  std::map<void*, std::unique_ptr<std::byte[]>> blocks;
  std::map<void*, std::size_t> bytes;

  void check_range(void* block, std::size_t offset, std::size_t length) {
    const std::lock_guard lock(mutex);
    const auto found = bytes.find(block);
    require(found != bytes.end(), "the buffer must come from mps_malloc");
    require(offset <= found->second && length <= found->second - offset,
            "the copied bytes must lie inside the buffer");
  }
};

DeviceHeap& device_heap() {
  static auto* heap = new DeviceHeap;
  return *heap;
}

}  // namespace

extern "C" {

FLASH_ATTN_SHIM const char* flash_attn_mps_simulator_last_error() {
  return last_error.c_str();
}

FLASH_ATTN_SHIM void flash_attn_mps_simulator_announce_uninitialised(
    const void* data,
    uint64_t bytes) {
  guarded([&] { simulator::announce_uninitialised(data, bytes); });
}

FLASH_ATTN_SHIM void flash_attn_mps_simulator_forget_announcements() {
  simulator::forget_announcements();
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_create_shader_library(
    const char* metal_shader_source,
    AOTIMetalShaderLibraryHandle* library_handle) {
  return guarded([&] {
    require(metal_shader_source != nullptr && library_handle != nullptr,
            "create_shader_library: source and handle must not be null");
    simulator::check_outside_command_block("create_shader_library");
    check_ascii(metal_shader_source);
    require(!simulator::fault_refuses(metal_shader_source),
            "create_shader_library: refused by an injected fault");
    auto library = std::make_unique<AOTIMetalShaderLibraryOpaque>(
        request_for(metal_shader_source));
    // The real call compiles everything at once, and fails at once.
    for (const std::string& name : library->library.kernel_names()) {
      library->library.kernel(name);
    }
    *library_handle = library.release();
  });
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_delete_shader_library(
    AOTIMetalShaderLibraryHandle library_handle) {
  return guarded([&] {
    require(library_handle != nullptr,
            "delete_shader_library: the library must not be null");
    delete library_handle;
  });
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_get_kernel_function(
    AOTIMetalShaderLibraryHandle library_handle,
    const char* kernel_name,
    AOTIMetalKernelFunctionHandle* function_handle) {
  return guarded([&] {
    require(library_handle != nullptr && kernel_name != nullptr &&
                function_handle != nullptr,
            "get_kernel_function: library, name and handle must not be null");
    if (!library_handle->library.has_kernel(kernel_name)) {
      throw EncoderError("Failed to create function state object for: " +
                         std::string(kernel_name));
    }
    auto& function = library_handle->functions[kernel_name];
    if (function == nullptr) {
      function = std::make_unique<AOTIMetalKernelFunctionOpaque>(
          library_handle->library.kernel(kernel_name));
    }
    *function_handle = function.get();
  });
}

FLASH_ATTN_SHIM AOTITorchError
aoti_torch_mps_start_encoding(AOTIMetalKernelFunctionHandle func) {
  return guarded([&] { function_of(func).start_encoding(); });
}

FLASH_ATTN_SHIM AOTITorchError
aoti_torch_mps_set_arg_tensor(AOTIMetalKernelFunctionHandle func,
                              unsigned idx,
                              AtenTensorHandle tensor) {
  return guarded([&] {
    require(tensor != nullptr, "set_arg_tensor: the tensor must not be null");
    const AddressedMemory memory = addressed_memory(tensor);
    function_of(func).bind_memory(idx, memory.address, memory.bytes);
  });
}

FLASH_ATTN_SHIM AOTITorchError
aoti_torch_mps_set_arg_int(AOTIMetalKernelFunctionHandle func,
                           unsigned idx,
                           int64_t val) {
  return guarded([&] { function_of(func).bind_bytes(idx, &val, sizeof val); });
}

FLASH_ATTN_SHIM AOTITorchError
torch_mps_set_arg_bytes(AOTIMetalKernelFunctionHandle func,
                        unsigned idx,
                        const void* ptr,
                        uint64_t size) {
  return guarded([&] { function_of(func).bind_bytes(idx, ptr, size); });
}

FLASH_ATTN_SHIM AOTITorchError
aoti_torch_mps_dispatch_single(AOTIMetalKernelFunctionHandle func,
                               uint64_t length) {
  return guarded([&] {
    simulator::KernelFunction& function = function_of(func);
    const unsigned threads = thread_count(length);
    function.dispatch({threads, 1, 1},
                      {std::min(threads, function.max_threads()), 1, 1});
  });
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_dispatch_single_with_group_size(
    AOTIMetalKernelFunctionHandle func,
    uint64_t length,
    uint64_t group_size) {
  return guarded([&] {
    function_of(func).dispatch({thread_count(length), 1, 1},
                               {thread_count(group_size), 1, 1});
  });
}

FLASH_ATTN_SHIM AOTITorchError
aoti_torch_mps_dispatch_array(AOTIMetalKernelFunctionHandle func,
                              const uint64_t* length,
                              size_t length_size) {
  return guarded([&] {
    check_dimensions(length, length_size);
    simulator::KernelFunction& function = function_of(func);
    function.dispatch(extents({length, length_size}),
                      {function.max_threads(), 1, 1});
  });
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_dispatch_array_with_group_size(
    AOTIMetalKernelFunctionHandle func,
    const uint64_t* length,
    size_t length_size,
    const uint64_t* group_size,
    size_t group_size_size) {
  return guarded([&] {
    check_dimensions(length, length_size);
    check_dimensions(group_size, group_size_size);
    require(length_size == group_size_size,
            "dispatch: length and group must have as many dimensions");
    function_of(func).dispatch(extents({length, length_size}),
                               extents({group_size, group_size_size}));
  });
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_malloc(void** buffer,
                                                     size_t num_bytes) {
  return guarded([&] {
    require(buffer != nullptr && num_bytes > 0,
            "mps_malloc: a place for the buffer and a positive size must be "
            "given");
    simulator::check_outside_command_block("mps_malloc");
    auto block = std::make_unique<std::byte[]>(num_bytes);
    DeviceHeap& heap = device_heap();
    const std::lock_guard lock(heap.mutex);
    *buffer = block.get();
    heap.bytes[block.get()] = num_bytes;
    heap.blocks[*buffer] = std::move(block);
  });
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_free(void* ptr) {
  return guarded([&] {
    DeviceHeap& heap = device_heap();
    const std::lock_guard lock(heap.mutex);
    require(heap.bytes.erase(ptr) == 1,
            "mps_free: the buffer must come from mps_malloc and be freed once");
    heap.blocks.erase(ptr);
  });
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_memcpy(void* buffer,
                                                     size_t constant_offset,
                                                     size_t bytes_read,
                                                     size_t data_size,
                                                     uint8_t* constants_start) {
  return guarded([&] {
    require(constants_start != nullptr,
            "mps_memcpy: the source must not be null");
    simulator::check_outside_command_block("mps_memcpy");
    device_heap().check_range(buffer, constant_offset, data_size);
    std::memcpy(static_cast<std::byte*>(buffer) + constant_offset,
                constants_start + bytes_read,
                data_size);
  });
}

FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_copy_buffer(void* src_buffer,
                                                          void* dst_buffer,
                                                          size_t data_size,
                                                          size_t src_offset,
                                                          size_t dst_offset) {
  return guarded([&] {
    simulator::check_outside_command_block("mps_copy_buffer");
    device_heap().check_range(src_buffer, src_offset, data_size);
    device_heap().check_range(dst_buffer, dst_offset, data_size);
    std::memmove(static_cast<std::byte*>(dst_buffer) + dst_offset,
                 static_cast<const std::byte*>(src_buffer) + src_offset,
                 data_size);
  });
}

FLASH_ATTN_SHIM void aoti_torch_mps_shared_callback(
    AOTIMetalKernelFunctionHandle func,
    void* user_data) {
  using Callback = std::function<void(AOTIMetalKernelFunctionHandle)>;
  (*static_cast<Callback*>(user_data))(func);
}

// A failed call inside the block does not fail the block: its own error code
// says so, as on the real device. Exceptions of the callback become an error.
FLASH_ATTN_SHIM AOTITorchError aoti_torch_mps_run_command_block(
    AOTIMetalKernelFunctionHandle func,
    aoti_torch_mps_command_block_callback_t callback,
    void* user_data) {
  return guarded([&] {
    require(func != nullptr && callback != nullptr,
            "run_command_block: kernel and callback must not be null");
    const simulator::CommandBlock block;
    callback(func, user_data);
  });
}

}  // extern "C"
