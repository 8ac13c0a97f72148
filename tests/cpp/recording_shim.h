// SPDX-License-Identifier: MIT
// A stand-in for torch's C shim for MPS that writes down its calls and fails
// where a test tells it to. For programs that link neither torch nor the
// simulator's shim; include it in exactly one file of a program.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim_mps.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace flash_attn_mps::recording_shim {

struct Record {
  std::mutex mutex;
  std::vector<std::string> calls;
  // Name of the call that fails, "" for none.
  std::string failing;
  int libraries_created = 0;
  std::atomic<int> live_buffers = 0;
  std::atomic<int> live_tensors = 0;
};

inline Record& record() {
  static Record instance;
  return instance;
}

inline void reset(const std::string& failing) {
  const std::lock_guard<std::mutex> lock(record().mutex);
  record().calls.clear();
  record().failing = failing;
  record().libraries_created = 0;
}

inline AOTITorchError call(const std::string& name,
                           const std::string& arguments) {
  const std::lock_guard<std::mutex> lock(record().mutex);
  record().calls.push_back(name + arguments);
  return record().failing == name ? AOTI_TORCH_FAILURE : AOTI_TORCH_SUCCESS;
}

}  // namespace flash_attn_mps::recording_shim

extern "C" {

AOTITorchError aoti_torch_mps_create_shader_library(
    const char* /*source*/,
    AOTIMetalShaderLibraryHandle* library) {
  using namespace flash_attn_mps::recording_shim;  // NOLINT
  const AOTITorchError code = call("create", "");
  if (code == AOTI_TORCH_SUCCESS) {
    const std::lock_guard<std::mutex> lock(record().mutex);
    ++record().libraries_created;
    *library = reinterpret_cast<AOTIMetalShaderLibraryHandle>(
        static_cast<intptr_t>(record().libraries_created));
  }
  return code;
}

AOTITorchError aoti_torch_mps_delete_shader_library(
    AOTIMetalShaderLibraryHandle /*library*/) {
  return flash_attn_mps::recording_shim::call("delete", "");
}

AOTITorchError aoti_torch_mps_get_kernel_function(
    AOTIMetalShaderLibraryHandle library,
    const char* name,
    AOTIMetalKernelFunctionHandle* function) {
  const AOTITorchError code =
      flash_attn_mps::recording_shim::call("get", std::string(" ") + name);
  if (code == AOTI_TORCH_SUCCESS) {
    *function = reinterpret_cast<AOTIMetalKernelFunctionHandle>(library);
  }
  return code;
}

AOTITorchError aoti_torch_mps_start_encoding(
    AOTIMetalKernelFunctionHandle function) {
  return flash_attn_mps::recording_shim::call(
      "start", " " + std::to_string(reinterpret_cast<intptr_t>(function)));
}

AOTITorchError aoti_torch_mps_set_arg_tensor(
    AOTIMetalKernelFunctionHandle /*function*/,
    unsigned slot,
    AtenTensorHandle /*tensor*/) {
  return flash_attn_mps::recording_shim::call("set",
                                              " " + std::to_string(slot));
}

AOTITorchError aoti_torch_mps_dispatch_single_with_group_size(
    AOTIMetalKernelFunctionHandle /*function*/,
    uint64_t length,
    uint64_t group_size) {
  return flash_attn_mps::recording_shim::call(
      "dispatch",
      " " + std::to_string(length) + " " + std::to_string(group_size));
}

AOTITorchError aoti_torch_mps_malloc(void** buffer, size_t bytes) {
  *buffer = std::malloc(bytes);
  ++flash_attn_mps::recording_shim::record().live_buffers;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_mps_free(void* memory) {
  std::free(memory);
  --flash_attn_mps::recording_shim::record().live_buffers;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_mps_memcpy(void* buffer,
                                     size_t constant_offset,
                                     size_t bytes_read,
                                     size_t bytes,
                                     uint8_t* source) {
  std::memcpy(static_cast<uint8_t*>(buffer) + constant_offset,
              source + bytes_read,
              bytes);
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_mps_run_command_block(
    AOTIMetalKernelFunctionHandle function,
    aoti_torch_mps_command_block_callback_t callback,
    void* user_data) {
  const AOTITorchError code = flash_attn_mps::recording_shim::call("block", "");
  if (code == AOTI_TORCH_SUCCESS) {
    callback(function, user_data);
  }
  return code;
}

// The tensor's handle is the address of its memory.
AOTITorchError aoti_torch_create_tensor_from_blob(void* data,
                                                  int64_t /*ndim*/,
                                                  const int64_t* /*sizes*/,
                                                  const int64_t* /*strides*/,
                                                  int64_t /*storage_offset*/,
                                                  int32_t /*dtype*/,
                                                  int32_t /*device_type*/,
                                                  int32_t /*device_index*/,
                                                  AtenTensorHandle* tensor) {
  *tensor = static_cast<AtenTensorHandle>(data);
  ++flash_attn_mps::recording_shim::record().live_tensors;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle /*tensor*/) {
  --flash_attn_mps::recording_shim::record().live_tensors;
  return AOTI_TORCH_SUCCESS;
}

int32_t aoti_torch_dtype_uint8() {
  return 0;
}

const char* flash_attn_mps_simulator_last_error() {
  return "the shim's text";
}

}  // extern "C"
