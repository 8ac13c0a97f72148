// SPDX-License-Identifier: MIT
// Asks the planner for every head dimension and keeps one of each class, so
// that there is no second list of what can be generated.
#include "specialize/kernel_family.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <unordered_map>

#include "plan/dispatch_plan.h"

namespace flash_attn_mps {
namespace {

constexpr int kFragmentColumns = 8;

struct HeadDims {
  int64_t head_dim = 0;
  int64_t value_head_dim = 0;
};

AttentionProblem problem_of(ElementType element_type,
                            Masking masking,
                            const HeadDims& dims) {
  return {.element_type = element_type,
          .masking = masking,
          .batch = 1,
          .query_heads = 1,
          .key_value_heads = 1,
          .query_length = 1,
          .key_length = 1,
          .head_dim = dims.head_dim,
          .value_head_dim = dims.value_head_dim,
          .scale = 1.0,
          .strides = {}};
}

// Every subset of gradients makes its own kernels.
std::vector<PlannedKernel> all_kernels(const AttentionProblem& problem,
                                       const DeviceTraits& traits) {
  constexpr std::array<RequestedGradients, 3> kRequests = {{
      {.query = true, .key = true, .value = true},
      {.query = false, .key = true, .value = false},
      {.query = false, .key = false, .value = true},
  }};
  std::vector<PlannedKernel> kernels = plan_forward(problem, traits);
  for (const RequestedGradients& request : kRequests) {
    for (PlannedKernel& kernel : plan_backward(problem, request, traits)) {
      kernels.push_back(std::move(kernel));
    }
  }
  return kernels;
}

// What two specs of one family share: sizes of head dimensions are reduced to
// whether they fill whole fragments, and whether they are equal.
KernelSpec class_of(const KernelSpec& spec) {
  const auto reduced = [](int head_dim) {
    return head_dim == 0 ? 0 : (head_dim % kFragmentColumns == 0 ? 8 : 1);
  };
  KernelSpec key = spec;
  key.head_dim = reduced(spec.head_dim);
  key.value_head_dim = reduced(spec.value_head_dim);
  if (spec.head_dim != spec.value_head_dim && spec.head_dim != 0) {
    key.head_dim += kFragmentColumns;
  }
  return key;
}

// Families by class, in the order in which they were found.
class FamilyCollection {
 public:
  // Keeps the spec if it is the first or the largest of its class.
  void add(const KernelSpec& spec) {
    const auto [found, is_new] =
        index_.try_emplace(class_of(spec), families_.size());
    if (is_new) {
      families_.push_back(spec);
      return;
    }
    KernelSpec& kept = families_[found->second];
    if (spec.head_dim + spec.value_head_dim >
        kept.head_dim + kept.value_head_dim) {
      kept = spec;
    }
  }

  const std::vector<KernelSpec>& families() const { return families_; }

 private:
  std::vector<KernelSpec> families_;
  std::unordered_map<KernelSpec, std::size_t, KernelSpecHash> index_;
};

// Equal head dimensions of every size; then pairs of unequal ones, each of
// which fills whole fragments or does not.
std::vector<HeadDims> candidate_dims() {
  std::vector<HeadDims> dims;
  for (int64_t size = 1; size <= kMaxHeadDim; ++size) {
    dims.push_back({.head_dim = size, .value_head_dim = size});
  }
  for (const HeadDims& unequal : {HeadDims{192, 128},
                                  HeadDims{64, 256},
                                  HeadDims{27, 128},
                                  HeadDims{128, 27},
                                  HeadDims{27, 33}}) {
    dims.push_back(unequal);
  }
  return dims;
}

void add_families(ElementType element_type,
                  Masking masking,
                  const DeviceTraits& traits,
                  FamilyCollection& collection) {
  for (const HeadDims& dims : candidate_dims()) {
    const AttentionProblem problem = problem_of(element_type, masking, dims);
    for (const PlannedKernel& kernel : all_kernels(problem, traits)) {
      collection.add(kernel_spec_from_plan(problem, kernel.tiling));
    }
  }
}

}  // namespace

std::vector<KernelSpec> kernel_families(const DeviceTraits& traits) {
  constexpr std::array<ElementType, 3> kElementTypes = {
      ElementType::kFloat32, ElementType::kFloat16, ElementType::kBFloat16};
  constexpr std::array<Masking, 2> kMaskings = {Masking::kNone,
                                                Masking::kCausal};
  FamilyCollection collection;
  for (const ElementType element_type : kElementTypes) {
    for (const Masking masking : kMaskings) {
      add_families(element_type, masking, traits, collection);
    }
  }
  return collection.families();
}

std::string family_name(const KernelSpec& spec) {
  std::ostringstream text;
  text << kernel_function_name(spec.kernel) << " "
       << element_type_name(spec.element_type) << " "
       << (spec.masking == Masking::kNone ? "unmasked"
                                          : masking_name(spec.masking));
  if (spec.head_dim != 0) {
    text << " D=" << spec.head_dim;
  }
  text << " Dv=" << spec.value_head_dim;
  if (spec.gradients != RequestedGradients{}) {
    text << " gradients=" << describe(spec.gradients);
  }
  return text.str();
}

}  // namespace flash_attn_mps
