// SPDX-License-Identifier: MIT
// Compiled kernels by KernelSpec, for the life of the process. It plans and
// encodes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "dispatch/shader_library.h"
#include "specialize/kernel_spec.h"

namespace flash_attn_mps {

struct PipelineCacheInfo {
  int64_t hits = 0;
  // Look-ups that had to compile.
  int64_t misses = 0;
  // Pipelines held.
  int64_t size = 0;

  bool operator==(const PipelineCacheInfo&) const = default;
};

// Thread-safe. Each spec is compiled once: a second thread that asks for it
// waits, and a spec whose text did not compile is tried again when asked for
// again. The key forgets lengths, so the cache grows with the number of
// specs, of which there are few, and never evicts.
class PipelineCache {
 public:
  PipelineCache() = default;
  PipelineCache(const PipelineCache&) = delete;
  PipelineCache& operator=(const PipelineCache&) = delete;

  // Throws ShimError if the text does not compile. The reference stays valid.
  const Pipeline& get(const KernelSpec& spec);

  PipelineCacheInfo info() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<KernelSpec, std::unique_ptr<Pipeline>, KernelSpecHash>
      pipelines_;
  int64_t hits_ = 0;
  int64_t misses_ = 0;
};

// The process's cache. It is never destroyed: torch's MPS stream may be gone
// by the time static objects are.
PipelineCache& pipeline_cache();

}  // namespace flash_attn_mps
