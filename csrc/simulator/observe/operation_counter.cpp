// SPDX-License-Identifier: MIT
// Counting, and the names of the counts.
#include "simulator/observe/operation_counter.h"

#include <algorithm>

namespace flash_attn_mps::simulator {
namespace {

const char* element_name(unsigned element) {
  switch (element) {
    case kMatrixFloat:
      return "float";
    case kMatrixHalf:
      return "half";
    default:
      return "bfloat";
  }
}

}  // namespace

OperationCounter::OperationCounter(const DispatchState& state)
    : state_(state) {}

void OperationCounter::begin_threadgroup(const ThreadgroupContext&) {
  ++threadgroups_;
}

void OperationCounter::add_threadgroup_memory(MemoryRegion& region) {
  threadgroup_bytes_ = std::max<std::uint64_t>(
      threadgroup_bytes_, region.shadow_offset + region.bytes);
}

OperationCounter::Traffic& OperationCounter::traffic_of(
    const MemoryRegion& region) {
  return region.space == MemorySpace::kThreadgroup
             ? threadgroup_
             : buffers_[static_cast<std::size_t>(region.index)];
}

void OperationCounter::access(const AccessBatch& batch) {
  // Summed while the region stays the same.
  const MemoryRegion* region = nullptr;
  Traffic sum;
  for (const MemoryAccess& access : batch.accesses) {
    if (is_atomic(access.kind)) {
      ++atomics_;
      continue;
    }
    if (access.region != region) {
      add_traffic(region, sum);
      region = access.region;
      sum = {};
    }
    (is_write(access.kind) ? sum.stored : sum.loaded) += access.bytes;
  }
  add_traffic(region, sum);
}

void OperationCounter::add_traffic(const MemoryRegion* region,
                                   const Traffic& sum) {
  if (region != nullptr) {
    Traffic& traffic = traffic_of(*region);
    traffic.loaded += sum.loaded;
    traffic.stored += sum.stored;
  }
}

void OperationCounter::meet(const Meeting& meeting) {
  ++meetings_[meeting.kind];
}

void OperationCounter::pass_threadgroup_barrier(unsigned) {
  ++threadgroup_barriers_;
}

void OperationCounter::multiply(const ProductBatch& batch) {
  for (unsigned entry = batch.first; entry < batch.end; ++entry) {
    const unsigned operands = batch.queue->operand[entry];
    ++products_[operands | static_cast<unsigned>(batch.queue->element[entry])
                               << 4U];
  }
}

void OperationCounter::add_counts(Counters& counters) const {
  counters["threadgroups"] += threadgroups_;
  counters["threadgroup_barriers"] += threadgroup_barriers_;
  counters["simdgroup_barriers"] += meetings_[kSimdgroupBarrier];
  counters["reductions"] += meetings_[kReduction];
  counters["votes"] += meetings_[kVote];
  counters["shuffles"] += meetings_[kShuffle];
  counters["atomics"] += atomics_;
  auto& bytes = counters["threadgroup_memory_bytes"];
  bytes = std::max(bytes, threadgroup_bytes_);
  hand_in_products(counters);
  hand_in_traffic(counters);
}

void OperationCounter::hand_in_products(Counters& counters) const {
  auto& total = counters["matrix_products"];
  for (unsigned types = 0; types < products_.size(); ++types) {
    if (products_[types] != 0) {
      total += products_[types];
      counters[std::string("matrix_products.") + element_name(types & 3U) +
               "_" + element_name((types >> 2U) & 3U) + "_" +
               element_name(types >> 4U)] += products_[types];
    }
  }
}

void OperationCounter::hand_in_traffic(Counters& counters) const {
  counters["threadgroup_bytes_loaded"] += threadgroup_.loaded;
  counters["threadgroup_bytes_stored"] += threadgroup_.stored;
  for (const char* name : {"device_bytes_loaded",
                           "device_bytes_stored",
                           "constant_bytes_loaded"}) {
    counters[name] += 0;
  }
  for (const MemoryRegion& region : state_.buffers) {
    if (region.address == nullptr) {
      continue;
    }
    const Traffic& traffic = buffers_[static_cast<std::size_t>(region.index)];
    const bool is_device = region.space == MemorySpace::kDevice;
    counters["bytes_loaded." + region.name] += traffic.loaded;
    counters["bytes_stored." + region.name] += traffic.stored;
    counters[is_device ? "device_bytes_loaded" : "constant_bytes_loaded"] +=
        traffic.loaded;
    if (is_device) {
      counters["device_bytes_stored"] += traffic.stored;
    }
  }
}

}  // namespace flash_attn_mps::simulator
