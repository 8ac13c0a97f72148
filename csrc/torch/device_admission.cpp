// SPDX-License-Identifier: MIT
// Runs the probe once a process and compares it with the expected layout.
#include "torch/device_admission.h"

#include <array>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "dispatch/pipeline_cache.h"
#include "dispatch/probe_record.h"
#include "dispatch/shim_error.h"
#include "plan/dispatch_plan.h"
#include "torch/probe.h"

namespace flash_attn_mps {
namespace {

constexpr int kLanes = 32;
constexpr int kSide = 8;
constexpr int kHeldElements = 2 * kLanes;
constexpr int64_t kProbeElements = int64_t{2} * kHeldElements;

bool is_probed(const DeviceLocation& device) {
  const char* const value = std::getenv("FLASH_ATTN_MPS_PROBE");
  const std::string_view wish = value != nullptr ? value : "";
  if (wish == "0" || wish == "1") {
    return wish == "1";
  }
  return device.type == aoti_torch_device_type_mps();
}

// Row-major number of the first of the two neighbours that a lane holds: the
// layout of metal/tile/fragment.h, told a second time on purpose.
int expected_first_element(int lane) {
  const int row = (lane / 16) * 4 + (lane / 2) % 4;
  const int column = (lane / 8) % 2 * 4 + lane % 2 * 2;
  return kSide * row + column;
}

float expected_product(int element) {
  const int row = element / kSide;
  const int column = element % kSide;
  int sum = 0;
  for (int k = 0; k < kSide; ++k) {
    sum += (kSide * row + k) * ((37 * (kSide * k + column) + 11) % 64);
  }
  return static_cast<float>(sum);
}

std::string position(int element) {
  return "(" + std::to_string(element / kSide) + ", " +
         std::to_string(element % kSide) + ")";
}

std::string loaded_difference(int lane, int e, float loaded) {
  std::ostringstream text;
  text << "this GPU spreads an 8x8 simdgroup_matrix over its lanes in another "
          "way than the kernels rely on: element "
       << e << " of lane " << lane << " must be "
       << position(expected_first_element(lane) + e) << "; got ";
  if (loaded >= 0.0F && loaded < 64.0F) {
    text << position(static_cast<int>(loaded));
  } else {
    text << "a number that was not stored";
  }
  text << ". Please report it: docs/reporting.md says how.";
  return text.str();
}

std::string product_difference(int element, float product) {
  std::ostringstream text;
  text << "this GPU computes another product of two 8x8 simdgroup_matrix: "
          "element "
       << position(element) << " must be " << expected_product(element)
       << "; got " << product
       << ". Please report it: docs/reporting.md says how.";
  return text.str();
}

std::string probe_device(const Tensor& tensor) {
  const std::string folder = probe_record_folder();
  const std::string description = machine_description();
  if (!folder.empty() && has_probe_record(folder, description)) {
    return "";
  }
  try {
    const Tensor result = run_probe({.probe = "lane_layout",
                                     .element_type = ElementType::kFloat32,
                                     .result_elements = kProbeElements,
                                     .threads = kLanes,
                                     .threads_per_threadgroup = kLanes},
                                    tensor);
    std::string difference = lane_layout_difference(read_floats(result));
    if (difference.empty() && !folder.empty()) {
      write_probe_record(folder, description);
    }
    return difference;
  } catch (const ShimError& error) {
    return std::string("the probe of the lane layout does not run: ") +
           error.what();
  }
}

std::vector<PlannedKernel> kernels_of_call(const AttentionProblem& problem,
                                           const RequestedGradients& wanted) {
  std::vector<PlannedKernel> kernels = plan_forward(problem, m1_max_traits());
  for (PlannedKernel& kernel :
       plan_backward(problem, wanted, m1_max_traits())) {
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace

std::string lane_layout_difference(const std::vector<float>& probe_result) {
  // The products of all lanes come first, then what the lanes loaded.
  for (int held = 0; held < kHeldElements; ++held) {
    const int lane = held / 2;
    const int e = held % 2;
    const int element = expected_first_element(lane) + e;
    const auto index = static_cast<std::size_t>(held);
    const float loaded = probe_result.at(kHeldElements + index);
    if (loaded != static_cast<float>(element)) {
      return loaded_difference(lane, e, loaded);
    }
    const float product = probe_result.at(index);
    if (product != expected_product(element)) {
      return product_difference(element, product);
    }
  }
  return "";
}

std::string device_refusal(const Tensor& tensor) {
  if (!is_probed(device_of(tensor))) {
    return "";
  }
  static std::mutex* const mutex = new std::mutex;
  static std::optional<std::string> refusal;
  const std::lock_guard<std::mutex> lock(*mutex);
  if (!refusal) {
    refusal = probe_device(tensor);
  }
  return *refusal;
}

void require_admitted_device(const Tensor& tensor) {
  const std::string refusal = device_refusal(tensor);
  if (!refusal.empty()) {
    throw std::runtime_error("flash_attn_mps: " + refusal);
  }
}

std::string call_obstacle(Tensor query,
                          int64_t value_head_dim,
                          bool is_causal,
                          std::vector<bool> wanted_gradients) {
  if (std::string refusal = device_refusal(query); !refusal.empty()) {
    return refusal;
  }
  const AttentionProblem problem{
      .element_type = element_type_of(query),
      .masking = is_causal ? Masking::kCausal : Masking::kNone,
      .batch = 1,
      .query_heads = 1,
      .key_value_heads = 1,
      .query_length = 1,
      .key_length = 1,
      .head_dim = sizes_of(query).back(),
      .value_head_dim = value_head_dim,
      .scale = 1.0,
      .strides = {}};
  const RequestedGradients wanted{.query = wanted_gradients.at(0),
                                  .key = wanted_gradients.at(1),
                                  .value = wanted_gradients.at(2)};
  for (const PlannedKernel& kernel : kernels_of_call(problem, wanted)) {
    try {
      pipeline_cache().get(kernel_spec_from_plan(problem, kernel.tiling));
    } catch (const ShimError& error) {
      return std::string(kernel_function_name(kernel.tiling.kernel)) +
             " does not compile: " + error.what();
    }
  }
  return "";
}

}  // namespace flash_attn_mps
