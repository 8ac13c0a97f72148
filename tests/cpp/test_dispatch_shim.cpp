// SPDX-License-Identifier: MIT
// What csrc/dispatch does with torch's C shim: the order of the calls, what
// happens when one fails, and what its two caches hold under threads. The
// program links neither torch nor the simulator's shim; a stand-in writes down
// the calls and fails where a test tells it to.
#include <torch/csrc/inductor/aoti_torch/c/shim_mps.h>

#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dispatch/command_block.h"
#include "dispatch/pipeline_cache.h"
#include "dispatch/shim_error.h"

namespace {
namespace shim {

struct Record {
  std::mutex mutex;
  std::vector<std::string> calls;
  // Name of the call that fails, "" for none.
  std::string failing;
  int libraries_created = 0;
  // The address of element i is the handle of library and kernel number i.
  std::array<char, 1024> handles{};
  std::atomic<int> live_buffers = 0;
  std::atomic<int> live_tensors = 0;
};

Record& record() {
  static Record instance;
  return instance;
}

std::ptrdiff_t handle_number(const void* handle) {
  return static_cast<const char*>(handle) - record().handles.data();
}

void reset(const std::string& failing) {
  const std::lock_guard<std::mutex> lock(record().mutex);
  record().calls.clear();
  record().failing = failing;
  record().libraries_created = 0;
}

AOTITorchError call(const std::string& name, const std::string& arguments) {
  const std::lock_guard<std::mutex> lock(record().mutex);
  record().calls.push_back(name + arguments);
  return record().failing == name ? AOTI_TORCH_FAILURE : AOTI_TORCH_SUCCESS;
}

}  // namespace shim
}  // namespace

extern "C" {

AOTITorchError aoti_torch_mps_create_shader_library(
    const char* /*source*/,
    AOTIMetalShaderLibraryHandle* library) {
  const AOTITorchError code = shim::call("create", "");
  if (code == AOTI_TORCH_SUCCESS) {
    const std::lock_guard<std::mutex> lock(shim::record().mutex);
    const int number = ++shim::record().libraries_created;
    *library = reinterpret_cast<AOTIMetalShaderLibraryHandle>(
        &shim::record().handles.at(static_cast<std::size_t>(number)));
  }
  return code;
}

AOTITorchError aoti_torch_mps_delete_shader_library(
    AOTIMetalShaderLibraryHandle /*library*/) {
  return shim::call("delete", "");
}

AOTITorchError aoti_torch_mps_get_kernel_function(
    AOTIMetalShaderLibraryHandle library,
    const char* name,
    AOTIMetalKernelFunctionHandle* function) {
  const AOTITorchError code = shim::call("get", std::string(" ") + name);
  if (code == AOTI_TORCH_SUCCESS) {
    *function = reinterpret_cast<AOTIMetalKernelFunctionHandle>(library);
  }
  return code;
}

AOTITorchError aoti_torch_mps_start_encoding(
    AOTIMetalKernelFunctionHandle function) {
  return shim::call("start",
                    " " + std::to_string(shim::handle_number(function)));
}

AOTITorchError aoti_torch_mps_set_arg_tensor(
    AOTIMetalKernelFunctionHandle /*function*/,
    unsigned slot,
    AtenTensorHandle /*tensor*/) {
  return shim::call("set", " " + std::to_string(slot));
}

AOTITorchError aoti_torch_mps_dispatch_single_with_group_size(
    AOTIMetalKernelFunctionHandle /*function*/,
    uint64_t length,
    uint64_t group_size) {
  return shim::call(
      "dispatch",
      " " + std::to_string(length) + " " + std::to_string(group_size));
}

AOTITorchError aoti_torch_mps_malloc(void** buffer, size_t bytes) {
  *buffer = std::malloc(bytes);
  ++shim::record().live_buffers;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_mps_free(void* memory) {
  std::free(memory);
  --shim::record().live_buffers;
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
  const AOTITorchError code = shim::call("block", "");
  if (code == AOTI_TORCH_SUCCESS) {
    callback(function, user_data);
  }
  return code;
}

// The tensor's handle is the address of its memory. As many parameters as torch
// gave it.
// NOLINTNEXTLINE(readability-function-size)
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
  ++shim::record().live_tensors;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle /*tensor*/) {
  --shim::record().live_tensors;
  return AOTI_TORCH_SUCCESS;
}

int32_t aoti_torch_dtype_uint8() {
  return 0;
}

const char* flash_attn_mps_simulator_last_error() {
  return "the shim's text";
}

}  // extern "C"

namespace flash_attn_mps {
namespace {

using shim::record;

constexpr DeviceLocation kDevice{.type = 0, .index = 0};

KernelSpec forward_spec(int head_dim) {
  KernelSpec spec;
  spec.kernel = KernelName::kForward;
  spec.head_dim = head_dim;
  spec.value_head_dim = head_dim;
  spec.rows_per_simdgroup = 8;
  spec.simdgroups = 4;
  spec.step_rows = 32;
  return spec;
}

AttentionParams params_with_length(uint32_t length) {
  AttentionParams params{};
  params.query_length = length;
  return params;
}

void ask_for_five_specs(PipelineCache& cache) {
  for (int round = 0; round < 100; ++round) {
    cache.get(forward_spec(8 + round % 5));
  }
}

std::string bytes_of(const AttentionParams& params) {
  return {reinterpret_cast<const char*>(&params), sizeof(params)};
}

KernelLaunch launch(const Pipeline& pipeline) {
  return {.pipeline = &pipeline,
          .tensors = {{.slot = 0, .tensor = nullptr},
                      {.slot = 3, .tensor = nullptr}},
          .parameter_slot = 10,
          .parameters = KernelParameters(params_with_length(1), kDevice),
          .grid_threads = 256,
          .threads_per_threadgroup = 128};
}

BOOST_AUTO_TEST_SUITE(dispatch)

BOOST_AUTO_TEST_CASE(EncodesAllKernelsInOneBlock) {
  PipelineCache cache;
  const Pipeline& first = cache.get(forward_spec(8));
  const Pipeline& second = cache.get(forward_spec(16));
  shim::reset("");
  encode({launch(first), launch(second)});
  const std::vector<std::string> expected{"block",
                                          "start 1",
                                          "set 0",
                                          "set 3",
                                          "set 10",
                                          "dispatch 256 128",
                                          "start 2",
                                          "set 0",
                                          "set 3",
                                          "set 10",
                                          "dispatch 256 128"};
  BOOST_TEST(record().calls == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(NothingToEncodeOpensNoBlock) {
  shim::reset("");
  encode({});
  BOOST_TEST(record().calls.empty());
}

BOOST_AUTO_TEST_CASE(EveryFailingCallIsRaisedAfterTheBlock) {
  PipelineCache cache;
  shim::reset("");
  const Pipeline& pipeline = cache.get(forward_spec(8));
  for (const char* call : {"block", "start", "set", "dispatch"}) {
    shim::reset(call);
    BOOST_CHECK_EXCEPTION(encode({launch(pipeline), launch(pipeline)}),
                          ShimError,
                          [](const ShimError& error) {
                            return std::string(error.what()) ==
                                   "the shim's text";
                          });
    BOOST_TEST(record().calls.back().starts_with(call));
  }
}

BOOST_AUTO_TEST_CASE(ACompileFailureIsRaisedAndTriedAgain) {
  PipelineCache cache;
  shim::reset("create");
  BOOST_CHECK_THROW(cache.get(forward_spec(8)), ShimError);
  BOOST_TEST(cache.info().size == 0);
  shim::reset("get");
  BOOST_CHECK_THROW(cache.get(forward_spec(8)), ShimError);
  BOOST_TEST(record().calls.back() == "delete");
  shim::reset("");
  BOOST_TEST(cache.get(forward_spec(8)).function() != nullptr);
  const PipelineCacheInfo expected{.hits = 0, .misses = 3, .size = 1};
  BOOST_TEST((cache.info() == expected));
}

BOOST_AUTO_TEST_CASE(EachSpecIsCompiledOnceUnderThreads) {
  PipelineCache cache;
  shim::reset("");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(ask_for_five_specs, std::ref(cache));
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  BOOST_TEST(record().libraries_created == 5);
  const PipelineCacheInfo expected{.hits = 395, .misses = 5, .size = 5};
  BOOST_TEST((cache.info() == expected));
}

BOOST_AUTO_TEST_CASE(ParameterBuffersAreSharedByContentAndBounded) {
  const int buffers_before = record().live_buffers;
  {
    ParameterBufferCache cache(/*capacity=*/8);
    const auto first = cache.get(bytes_of(params_with_length(0)), kDevice);
    BOOST_TEST((first == cache.get(bytes_of(params_with_length(0)), kDevice)));
    for (uint32_t length = 0; length < 5000; ++length) {
      const std::string bytes = bytes_of(params_with_length(length));
      const auto buffer = cache.get(bytes, kDevice);
      BOOST_TEST_REQUIRE(
          std::memcmp(buffer->tensor(), bytes.data(), bytes.size()) == 0);
    }
    BOOST_TEST(cache.size() == 8U);
    // The evicted buffer that is still held, and those in the cache.
    BOOST_TEST(record().live_buffers - buffers_before == 9);
    BOOST_TEST((first != cache.get(bytes_of(params_with_length(0)), kDevice)));
  }
  BOOST_TEST(record().live_buffers == buffers_before);
}

BOOST_AUTO_TEST_CASE(TheLeastRecentlyUsedBufferIsEvicted) {
  ParameterBufferCache cache(/*capacity=*/2);
  const auto first = cache.get(bytes_of(params_with_length(1)), kDevice);
  const auto second = cache.get(bytes_of(params_with_length(2)), kDevice);
  cache.get(bytes_of(params_with_length(1)), kDevice);
  cache.get(bytes_of(params_with_length(3)), kDevice);
  BOOST_TEST((cache.get(bytes_of(params_with_length(1)), kDevice) == first));
  BOOST_TEST((cache.get(bytes_of(params_with_length(2)), kDevice) != second));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace flash_attn_mps
