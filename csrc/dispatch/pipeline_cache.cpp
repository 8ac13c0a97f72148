// SPDX-License-Identifier: MIT
// Look-up and compilation under one lock, which also serialises torch's
// create and get calls.
#include "dispatch/pipeline_cache.h"

#include "specialize/kernel_source.h"

namespace flash_attn_mps {

const Pipeline& PipelineCache::get(const KernelSpec& spec) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = pipelines_.find(spec);
  if (found != pipelines_.end()) {
    ++hits_;
    return *found->second;
  }
  ++misses_;
  auto pipeline = std::make_unique<Pipeline>(
      kernel_source_from_spec(spec),
      std::string(kernel_function_name(spec.kernel)));
  return *pipelines_.emplace(spec, std::move(pipeline)).first->second;
}

PipelineCacheInfo PipelineCache::info() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {.hits = hits_,
          .misses = misses_,
          .size = static_cast<int64_t>(pipelines_.size())};
}

PipelineCache& pipeline_cache() {
  static PipelineCache* const cache = new PipelineCache;
  return *cache;
}

}  // namespace flash_attn_mps
