// SPDX-License-Identifier: MIT
// The functions of runtime_abi.h, called by compiled kernels on a lane's
// stack. They never throw: what goes wrong is reported and the lane abandoned.
#include <string>
#include <utility>

#include "simulator/execute/simdgroup_scheduler.h"
#include "simulator/execute/unbound_memory.h"
#include "simulator/execute/worker.h"
#include "simulator/metal_headers/runtime_abi.h"

namespace flash_attn_mps::simulator {
namespace {

std::uintptr_t address_of(const void* return_address) {
  return reinterpret_cast<std::uintptr_t>(return_address);
}

// Named after the kernel's argument where it has one for the slot.
std::string slot_name(const KernelDeclaration& declaration,
                      ArgumentKind kind,
                      unsigned index) {
  for (const KernelArgument& argument : declaration.arguments) {
    if (argument.kind == kind && argument.index == static_cast<int>(index)) {
      return argument.name;
    }
  }
  return "slot " + std::to_string(index);
}

}  // namespace
}  // namespace flash_attn_mps::simulator

using flash_attn_mps::simulator::current_lane;
using flash_attn_mps::simulator::LaneContext;
using flash_attn_mps::simulator::MemoryRegion;
using flash_attn_mps::simulator::RendezvousKind;
using flash_attn_mps::simulator::Violation;
using flash_attn_mps::simulator::ViolationKind;
using flash_attn_mps::simulator::Worker;

void* flash_attn_mps_buffer(unsigned index) {
  namespace simulator = flash_attn_mps::simulator;
  const auto& buffers = simulator::worker_of(*current_lane()).state().buffers;
  void* address = buffers[index].address;
  return address != nullptr ? address : simulator::unbound_address(index);
}

void* flash_attn_mps_threadgroup_argument(unsigned index) {
  namespace simulator = flash_attn_mps::simulator;
  const LaneContext& lane = *current_lane();
  Worker& worker = simulator::worker_of(lane);
  const MemoryRegion* region = worker.threadgroup_argument(index);
  if (region != nullptr) {
    return region->address;
  }
  const auto& declaration = worker.state().request->kernel->declaration();
  Violation violation = simulator::violation_of_lane(
      worker.state(),
      ViolationKind::kBounds,
      lane,
      simulator::address_of(__builtin_return_address(0)),
      "the length of threadgroup index " + std::to_string(index) +
          " is not set");
  violation.buffer = simulator::slot_name(
      declaration, simulator::ArgumentKind::kThreadgroup, index);
  violation.place = {0, declaration.file, declaration.line};
  simulator::worker_of(lane).abandon_with(std::move(violation));
}

void* flash_attn_mps_threadgroup_variable(unsigned site,
                                          unsigned long bytes,
                                          unsigned long alignment,
                                          const char* name) {
  namespace simulator = flash_attn_mps::simulator;
  const LaneContext& lane = *current_lane();
  Worker& worker = simulator::worker_of(lane);
  auto& memory = worker.threadgroup_memory();
  MemoryRegion* region = memory.variable(site);
  if (region == nullptr) {
    region = worker.add_threadgroup_memory(
        bytes, alignment, name, static_cast<int>(site));
    if (region == nullptr) {
      worker.abandon();
    }
    memory.set_variable(site, region);
  }
  return region->address;
}

void flash_attn_mps_rendezvous(unsigned kind,
                               unsigned memory_flags,
                               unsigned line) {
  const auto address =
      reinterpret_cast<unsigned long>(__builtin_return_address(0));
  flash_attn_mps::simulator::wait_for_lanes(
      *current_lane(),
      static_cast<RendezvousKind>(kind),
      memory_flags,
      address | static_cast<unsigned long>(line)
                    << flash_attn_mps::simulator::kCallSiteLineShift);
}

void flash_attn_mps_matrix_settle(unsigned slot) {
  namespace simulator = flash_attn_mps::simulator;
  LaneContext& lane = *current_lane();
  simulator::MatrixQueue& queue = lane.simdgroup->matrices;
  const unsigned epoch = queue.epoch;
  simulator::wait_for_lanes(
      lane,
      simulator::kMatrixRead,
      simulator::kMemoryNone,
      reinterpret_cast<unsigned long>(__builtin_return_address(0)));
  // Other lanes have posted more in this epoch: later products must not write
  // to the object, which the caller may change now.
  if (queue.epoch == epoch) {
    queue.destination[slot][lane.thread_index_in_simdgroup] = nullptr;
  }
}

void flash_attn_mps_matrix_full() {
  flash_attn_mps::simulator::wait_for_lanes(
      *current_lane(),
      flash_attn_mps::simulator::kMatrixRead,
      flash_attn_mps::simulator::kMemoryNone,
      reinterpret_cast<unsigned long>(__builtin_return_address(0)));
}

void flash_attn_mps_matrix_mismatch(unsigned entry, unsigned long site) {
  namespace simulator = flash_attn_mps::simulator;
  const LaneContext& lane = *current_lane();
  Violation violation = simulator::violation_of_lane(
      simulator::worker_of(lane).state(),
      ViolationKind::kDivergence,
      lane,
      site,
      "a simdgroup matrix product is not reached by all 32 lanes: other lanes "
      "are at another product");
  violation.other = simulator::OtherAccess{
      simulator::place_of_call(lane.simdgroup->matrices.site[entry]),
      {lane.group->threadgroup_position_in_grid,
       static_cast<int>(lane.simdgroup_index_in_threadgroup),
       -1},
      "the other product"};
  simulator::worker_of(lane).abandon_with(std::move(violation));
}

void flash_attn_mps_inactive_lane(unsigned lane_read) {
  namespace simulator = flash_attn_mps::simulator;
  const LaneContext& lane = *current_lane();
  Worker& worker = simulator::worker_of(lane);
  worker.state().reports.add_violation(simulator::violation_of_lane(
      worker.state(),
      ViolationKind::kInactiveLane,
      lane,
      lane.site,
      "a value is taken from lane " + std::to_string(lane_read) +
          ", which does not take part in the call"));
}

void flash_attn_mps_unsupported(const char* sentence) {
  namespace simulator = flash_attn_mps::simulator;
  const LaneContext& lane = *current_lane();
  Worker& worker = simulator::worker_of(lane);
  worker.abandon_with(simulator::violation_of_lane(
      worker.state(),
      ViolationKind::kLimit,
      lane,
      simulator::address_of(__builtin_return_address(0)),
      sentence));
}
