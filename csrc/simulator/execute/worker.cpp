// SPDX-License-Identifier: MIT
// Places the threads of a threadgroup, runs its simdgroups in turn and answers
// the calls they make. What happens when lanes wait at different calls is in
// worker_divergence.cpp.
#include "simulator/execute/worker.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "simulator/execute/fiber.h"
#include "simulator/execute/matrix_product.h"
#include "simulator/execute/order.h"
#include "simulator/execute/region_pool.h"
#include "simulator/observe/observer_set.h"

namespace flash_attn_mps::simulator {
namespace {

// Checked builds keep this much poisoned space behind every array.
constexpr std::size_t kGuardBytes = 128;
// A NaN in every element type of Metal that has one.
constexpr int kPoisonByte = 0xff;

void run_lane() {
  LaneContext& lane = *current_lane();
  static_cast<SimdgroupScheduler*>(lane.scheduler)
      ->worker->state()
      .request->kernel->entry()();
  finish_lane(*current_lane());
}

unsigned volume(const GridPosition& size) {
  return size.x * size.y * size.z;
}

GridPosition position_in(unsigned index, const GridPosition& size) {
  return {index % size.x, index / size.x % size.y, index / size.x / size.y};
}

}  // namespace

Worker::Worker(DispatchState& state)
    : state_(state),
      region_(borrow_region()),
      map_(state.buffers, memory_),
      observers_(make_observers(state)),
      lane_order_(running_order(kSimdWidth, state.request->seed)) {
  const GridPosition& group = state.request->group;
  const unsigned threads = volume(group);
  region_->commit(threads);
  simdgroup_order_ = running_order((threads + kSimdWidth - 1) / kSimdWidth,
                                   state.request->seed);
}

void Worker::run_threadgroup(std::uint64_t linear_index) {
  const bool is_checked = state_.request->kernel->is_checked();
  is_abandoned_ = false;
  memory_.begin_threadgroup(is_checked ? kGuardBytes : 0);
  map_.forget_threadgroup();
  place_threadgroup(linear_index);
  for (const auto& observer : observers_) {
    observer->begin_threadgroup(region_->threadgroup());
  }
  if (!add_threadgroup_arguments()) {
    return;
  }
  place_lanes();
  do {
    run_simdgroups();
  } while (!is_abandoned_ && pass_barrier());
  if (is_abandoned_) {
    state_.reports.stop();
    return;
  }
  for (const auto& observer : observers_) {
    observer->end_threadgroup();
  }
}

void Worker::run_simdgroups() {
  for (const unsigned index : simdgroup_order_) {
    if (index < simdgroup_count_ && !is_abandoned_) {
      run_until_parked(simdgroups_[index]);
    }
  }
}

void Worker::place_threadgroup(std::uint64_t linear_index) {
  const DispatchRequest& request = *state_.request;
  const GridPosition& groups = state_.threadgroups;
  ThreadgroupContext& context = region_->threadgroup();
  const std::uint64_t plane = std::uint64_t{groups.x} * groups.y;
  const GridPosition position = {
      static_cast<unsigned>(linear_index % groups.x),
      static_cast<unsigned>(linear_index / groups.x % groups.y),
      static_cast<unsigned>(linear_index / plane)};
  context.threadgroup_position_in_grid = position;
  context.threadgroups_per_grid = groups;
  context.threads_per_grid = request.threads;
  context.dispatch_threads_per_threadgroup = request.group;
  const auto clipped = [](unsigned threads, unsigned group, unsigned index) {
    return std::min(group, threads - group * index);
  };
  context.threads_per_threadgroup = {
      clipped(request.threads.x, request.group.x, position.x),
      clipped(request.threads.y, request.group.y, position.y),
      clipped(request.threads.z, request.group.z, position.z)};
  const auto simdgroups = [](const GridPosition& size) {
    return (volume(size) + kSimdWidth - 1) / kSimdWidth;
  };
  context.simdgroups_per_threadgroup =
      simdgroups(context.threads_per_threadgroup);
  context.dispatch_simdgroups_per_threadgroup = simdgroups(request.group);
}

void Worker::place_lanes() {
  const ThreadgroupContext& context = region_->threadgroup();
  const unsigned threads = volume(context.threads_per_threadgroup);
  simdgroup_count_ = context.simdgroups_per_threadgroup;
  for (unsigned index = 0; index < simdgroup_count_; ++index) {
    start_simdgroup(index, threads);
  }
  for (unsigned thread = 0; thread < threads; ++thread) {
    place_lane(thread, context.threads_per_threadgroup);
  }
}

void Worker::start_simdgroup(unsigned index, unsigned threads) {
  SimdgroupScheduler& simdgroup = simdgroups_[index];
  simdgroup.context = &region_->simdgroup(index);
  simdgroup.worker = this;
  simdgroup.index = index;
  simdgroup.present = 0;
  simdgroup.waiting = 0;
  simdgroup.finished = 0;
  for (unsigned order = 0; order < kSimdWidth; ++order) {
    const unsigned thread = index * kSimdWidth + lane_order_[order];
    simdgroup.lanes[order] = &region_->lane(thread);
    simdgroup.present |= thread < threads ? 1U << order : 0U;
  }
  simdgroup.runnable = simdgroup.present;
  reset_products(simdgroup.context->matrices);
}

void Worker::place_lane(unsigned thread, const GridPosition& size) {
  const ThreadgroupContext& context = region_->threadgroup();
  const GridPosition& group = state_.request->group;
  const GridPosition inside = position_in(thread, size);
  LaneContext& lane = region_->lane(thread);
  SimdgroupScheduler& simdgroup = simdgroups_[thread / kSimdWidth];
  lane.simdgroup = simdgroup.context;
  lane.group = &region_->threadgroup();
  lane.scheduler = &simdgroup;
  lane.thread_position_in_threadgroup = inside;
  lane.thread_position_in_grid = {
      context.threadgroup_position_in_grid.x * group.x + inside.x,
      context.threadgroup_position_in_grid.y * group.y + inside.y,
      context.threadgroup_position_in_grid.z * group.z + inside.z};
  lane.thread_index_in_threadgroup = thread;
  lane.simdgroup_index_in_threadgroup = thread / kSimdWidth;
  lane.thread_index_in_simdgroup = thread % kSimdWidth;
  lane.matrix_offset = matrix_offset_of_lane(thread % kSimdWidth);
  lane.stack_pointer = prepare_fiber(
      region_->stack_bottom(thread), region_->stack_top(thread), run_lane);
}

void Worker::run_until_parked(SimdgroupScheduler& simdgroup) {
  do {
    if (simdgroup.runnable != 0) {
      simdgroup.running =
          static_cast<unsigned>(std::countr_zero(simdgroup.runnable));
      switch_fiber(&main_fiber_,
                   simdgroup.lanes[simdgroup.running]->stack_pointer);
    }
  } while (!is_abandoned_ && resolve(simdgroup));
}

// All simdgroups are parked. True when a barrier was passed and lanes can move
// again; false when the threadgroup has ended.
bool Worker::pass_barrier() {
  const WaitingGroup* barrier = nullptr;
  bool is_reached_by_all = true;
  std::vector<WaitingGroup> groups;
  for (unsigned index = 0; index < simdgroup_count_; ++index) {
    const SimdgroupScheduler& simdgroup = simdgroups_[index];
    is_reached_by_all &= simdgroup.waiting == simdgroup.present;
    const auto waiting = waiting_groups(simdgroup);
    groups.insert(groups.end(), waiting.begin(), waiting.end());
  }
  if (groups.empty()) {
    check_finished();
    return false;
  }
  barrier = &groups.front();
  for (const WaitingGroup& group : groups) {
    is_reached_by_all &= group.site == barrier->site;
  }
  if (!is_reached_by_all) {
    fail_barrier();
    return false;
  }
  for (unsigned index = 0; index < simdgroup_count_; ++index) {
    simdgroups_[index].waiting = 0;
    simdgroups_[index].runnable = simdgroups_[index].present;
  }
  for (const auto& observer : observers_) {
    observer->pass_threadgroup_barrier(barrier->memory_flags);
  }
  return true;
}

void Worker::leave_simdgroup(void** saved) {
  switch_fiber(saved, main_fiber_);
}

void Worker::abandon() {
  tell_accesses(*current_lane());
  is_abandoned_ = true;
  void* never_continued = nullptr;
  switch_fiber(&never_continued, main_fiber_);
  __builtin_unreachable();
}

// What the lane did before comes first.
void Worker::abandon_with(Violation violation) {
  tell_accesses(*current_lane());
  state_.reports.add_violation(std::move(violation));
  abandon();
}

bool Worker::add_threadgroup_arguments() {
  const DispatchRequest& request = *state_.request;
  threadgroup_arguments_.assign(request.threadgroup_bytes.size(), nullptr);
  for (const KernelArgument& argument :
       request.kernel->declaration().arguments) {
    const auto index = static_cast<std::size_t>(argument.index);
    if (argument.kind != ArgumentKind::kThreadgroup ||
        index >= request.threadgroup_bytes.size()) {
      continue;
    }
    threadgroup_arguments_[index] =
        add_threadgroup_memory(request.threadgroup_bytes[index],
                               /*alignment=*/16,
                               argument.name.c_str(),
                               argument.index);
    if (threadgroup_arguments_[index] == nullptr) {
      return false;
    }
  }
  return true;
}

MemoryRegion* Worker::threadgroup_argument(unsigned index) {
  return index < threadgroup_arguments_.size() ? threadgroup_arguments_[index]
                                               : nullptr;
}

MemoryRegion* Worker::add_threadgroup_memory(std::size_t bytes,
                                             std::size_t alignment,
                                             const char* name,
                                             int index) {
  MemoryRegion* region = memory_.add(bytes, alignment, name, index);
  if (region == nullptr) {
    Violation violation;
    violation.kind = ViolationKind::kLimit;
    violation.what = "threadgroup memory must be at most " +
                     std::to_string(kThreadgroupMemoryBytes) +
                     " bytes; the kernel uses " +
                     std::to_string(memory_.used_bytes());
    violation.kernel = state_.request->kernel->declaration().host_name;
    violation.buffer = name;
    violation.thread.threadgroup =
        region_->threadgroup().threadgroup_position_in_grid;
    state_.reports.add_violation(std::move(violation));
    state_.reports.stop();
    return nullptr;
  }
  if (state_.request->kernel->is_checked()) {
    std::memset(region->address, kPoisonByte, region->bytes);
  }
  for (const auto& observer : observers_) {
    observer->add_threadgroup_memory(*region);
  }
  return region;
}

void Worker::compute_products(SimdgroupScheduler& simdgroup, unsigned end) {
  MatrixQueue& queue = simdgroup.context->matrices;
  for (const auto& observer : observers_) {
    observer->multiply({&queue, queue.drained, end, simdgroup.index});
  }
  flash_attn_mps::simulator::compute_products(queue, end);
}

void Worker::hand_in_counts() {
  const std::lock_guard lock(state_.shared_mutex);
  for (const auto& observer : observers_) {
    observer->add_counts(state_.counters);
  }
}

}  // namespace flash_attn_mps::simulator
