// SPDX-License-Identifier: MIT
// A mutex and a list.
#include "simulator/execute/region_pool.h"

#include <mutex>
#include <utility>
#include <vector>

namespace flash_attn_mps::simulator {
namespace {

struct RegionPool {
  std::mutex mutex;
  std::vector<std::unique_ptr<StackRegion>> idle;
};

// Never destroyed: a dispatch may end during the exit of the process.
RegionPool& region_pool() {
  static auto* pool = new RegionPool;
  return *pool;
}

void give_back(StackRegion* region) {
  RegionPool& pool = region_pool();
  const std::lock_guard lock(pool.mutex);
  pool.idle.emplace_back(region);
}

}  // namespace

std::shared_ptr<StackRegion> borrow_region() {
  RegionPool& pool = region_pool();
  const std::lock_guard lock(pool.mutex);
  if (pool.idle.empty()) {
    return {std::make_unique<StackRegion>().release(), give_back};
  }
  std::unique_ptr<StackRegion> region = std::move(pool.idle.back());
  pool.idle.pop_back();
  return {region.release(), give_back};
}

}  // namespace flash_attn_mps::simulator
