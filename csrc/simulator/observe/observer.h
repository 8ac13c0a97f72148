// SPDX-License-Identifier: MIT
// The one interface between the executing core and whatever watches it. The
// core calls every observer of the worker and knows none of them by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simulator/metal_headers/runtime_abi.h"

namespace flash_attn_mps::simulator {

struct MemoryRegion;

enum class AccessKind : std::uint8_t {
  kRead,
  kWrite,
  kAtomicRead,
  kAtomicStore,
  kAtomicUpdate,
};

inline bool is_write(AccessKind kind) {
  return kind != AccessKind::kRead && kind != AccessKind::kAtomicRead;
}
inline bool is_atomic(AccessKind kind) {
  return kind != AccessKind::kRead && kind != AccessKind::kWrite;
}

// One access, which lies inside `region`.
struct MemoryAccess {
  MemoryRegion* region;
  std::size_t offset;   // from the region's first byte
  std::uintptr_t site;  // return address in the compiled kernel
  std::uint32_t bytes;
  AccessKind kind;
  // Matrix products that the lane had posted by then and that were not computed
  // yet; only known of threadgroup memory.
  std::uint16_t pending_products;
};

// What a lane has accessed while it ran, in order: told before it lets another
// lane run.
struct AccessBatch {
  const LaneContext& lane;
  std::span<const MemoryAccess> accesses;
  // Indices of those to regions that the dispatch may write, or that begin
  // uninitialised: a checker of order need not look at the others.
  std::span<const std::uint8_t> with_history;
};

// Lanes of one simdgroup have met.
struct Meeting {
  RendezvousKind kind;
  unsigned memory_flags;
  unsigned simdgroup;
  std::uint32_t lanes;  // bit mask
  std::uintptr_t site;
};

// The products of one simdgroup are about to be computed.
struct ProductBatch {
  const MatrixQueue* queue;
  unsigned first;
  unsigned end;
  unsigned simdgroup;
};

class Observer {
 public:
  virtual ~Observer() = default;

  virtual void begin_threadgroup(const ThreadgroupContext&) {}
  virtual void end_threadgroup() {}
  virtual void add_threadgroup_memory(MemoryRegion&) {}
  virtual void access(const AccessBatch&) {}
  virtual void meet(const Meeting&) {}
  // All threads of the threadgroup have reached a threadgroup_barrier.
  virtual void pass_threadgroup_barrier(unsigned /*memory_flags*/) {}
  virtual void multiply(const ProductBatch&) {}
  // Called once, when the worker has run its last threadgroup.
  virtual void add_counts(std::map<std::string, std::uint64_t>&) const {}
};

using Observers = std::vector<std::unique_ptr<Observer>>;

}  // namespace flash_attn_mps::simulator
