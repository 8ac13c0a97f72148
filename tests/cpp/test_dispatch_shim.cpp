// SPDX-License-Identifier: MIT
// What csrc/dispatch does with torch's C shim: the order of the calls, what
// happens when one fails, and what its two caches hold under threads.
#include <boost/test/unit_test.hpp>
#include <thread>

#include "dispatch/command_block.h"
#include "dispatch/pipeline_cache.h"
#include "dispatch/shim_error.h"
#include "recording_shim.h"

namespace flash_attn_mps {
namespace {

using recording_shim::record;

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

BOOST_AUTO_TEST_SUITE(Dispatch)

BOOST_AUTO_TEST_CASE(EncodesAllKernelsInOneBlock) {
  PipelineCache cache;
  const Pipeline& first = cache.get(forward_spec(8));
  const Pipeline& second = cache.get(forward_spec(16));
  recording_shim::reset("");
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
  recording_shim::reset("");
  encode({});
  BOOST_TEST(record().calls.empty());
}

BOOST_AUTO_TEST_CASE(EveryFailingCallIsRaisedAfterTheBlock) {
  PipelineCache cache;
  recording_shim::reset("");
  const Pipeline& pipeline = cache.get(forward_spec(8));
  for (const char* call : {"block", "start", "set", "dispatch"}) {
    recording_shim::reset(call);
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
  recording_shim::reset("create");
  BOOST_CHECK_THROW(cache.get(forward_spec(8)), ShimError);
  BOOST_TEST(cache.info().size == 0);
  recording_shim::reset("get");
  BOOST_CHECK_THROW(cache.get(forward_spec(8)), ShimError);
  BOOST_TEST(record().calls.back() == "delete");
  recording_shim::reset("");
  BOOST_TEST(cache.get(forward_spec(8)).function() != nullptr);
  const PipelineCacheInfo expected{.hits = 0, .misses = 3, .size = 1};
  BOOST_TEST((cache.info() == expected));
}

BOOST_AUTO_TEST_CASE(EachSpecIsCompiledOnceUnderThreads) {
  PipelineCache cache;
  recording_shim::reset("");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&cache] {
      for (int round = 0; round < 100; ++round) {
        cache.get(forward_spec(8 + round % 5));
      }
    });
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
