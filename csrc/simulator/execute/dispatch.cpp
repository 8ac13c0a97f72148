// SPDX-License-Identifier: MIT
// Checks the limits of a dispatch, spreads its threadgroups over workers and
// gathers the reports.
#include "simulator/execute/dispatch.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "simulator/execute/guarded_buffers.h"
#include "simulator/execute/order.h"
#include "simulator/execute/source_locator.h"
#include "simulator/execute/unbound_memory.h"
#include "simulator/execute/worker.h"

namespace flash_attn_mps::simulator {
namespace {

unsigned default_workers() {
  const char* text = std::getenv("FLASH_ATTN_MPS_SIMULATOR_THREADS");
  const long workers = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return workers > 0 ? static_cast<unsigned>(workers)
                     : std::max(1U, std::thread ::hardware_concurrency());
}

GridPosition threadgroups_of(const DispatchRequest& request) {
  const auto count = [](unsigned threads, unsigned group) {
    return threads / group + (threads % group != 0 ? 1U : 0U);
  };
  return {count(request.threads.x, request.group.x),
          count(request.threads.y, request.group.y),
          count(request.threads.z, request.group.z)};
}

// Empty when the request is within the device's limits.
std::string limit_exceeded(const DispatchRequest& request) {
  const GridPosition& group = request.group;
  const std::uint64_t threads =
      std::uint64_t{group.x} * group.y * std::uint64_t{group.z};
  if (threads == 0) {
    return "a threadgroup must have at least one thread in every dimension";
  }
  if (threads > kMaxThreadsPerThreadgroup) {
    return "a threadgroup must have at most " +
           std::to_string(kMaxThreadsPerThreadgroup) + " threads; got " +
           std::to_string(threads);
  }
  for (unsigned index = 0; index < kBufferSlots; ++index) {
    const auto& binding = request.buffers[index];
    if (binding.has_value() && binding->is_set_bytes &&
        binding->bytes > kMaxSetBytes) {
      return "the bytes set for buffer index " + std::to_string(index) +
             " must be at most " + std::to_string(kMaxSetBytes) + "; got " +
             std::to_string(binding->bytes);
    }
  }
  const int limit = request.kernel->declaration().max_total_threads;
  if (limit > 0 && threads > static_cast<std::uint64_t>(limit)) {
    return "a threadgroup must have at most max_total_threads_per_threadgroup"
           " = " +
           std::to_string(limit) + " threads; got " + std::to_string(threads);
  }
  return "";
}

const KernelArgument* argument_of(const KernelDeclaration& declaration,
                                  int index) {
  for (const KernelArgument& argument : declaration.arguments) {
    if (argument.kind == ArgumentKind::kBuffer && argument.index == index) {
      return &argument;
    }
  }
  return nullptr;
}

MemorySpace space_of(const KernelArgument* argument) {
  return argument != nullptr && argument->space == AddressSpace::kConstant
             ? MemorySpace::kConstant
             : MemorySpace::kDevice;
}

bool overlaps(const MemoryRegion& a, const MemoryRegion& b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

bool may_be_written(const MemoryRegion& region, const DispatchState& state) {
  return std::ranges::any_of(
      state.buffers, [&region](const MemoryRegion& other) {
        return other.address != nullptr && other.is_writable &&
               overlaps(region, other);
      });
}

void bind_buffers(DispatchState& state) {
  const DispatchRequest& request = *state.request;
  const KernelDeclaration& declaration = request.kernel->declaration();
  unbound_address(0);  // reserved now: a lane could not fail
  for (unsigned index = 0; index < kBufferSlots; ++index) {
    if (!request.buffers[index].has_value()) {
      continue;
    }
    const BufferBinding& binding = *request.buffers[index];
    const KernelArgument* argument =
        argument_of(declaration, static_cast<int>(index));
    const bool is_const =
        argument != nullptr &&
        (argument->is_const || argument->space == AddressSpace::kConstant);
    state.buffers[index] = {
        .address = static_cast<char*>(binding.address),
        .bytes = binding.bytes,
        .space = space_of(argument),
        .index = static_cast<int>(index),
        .is_writable = binding.is_writable && !is_const,
        .name = name_of_buffer(declaration, static_cast<int>(index)),
        .initialised = binding.initialised};
  }
  for (MemoryRegion& region : state.buffers) {
    region.may_be_written = may_be_written(region, state);
  }
}

// What a worker's thread cannot throw is thrown by the dispatch.
class WorkerErrors {
 public:
  void keep_current() {
    const std::lock_guard lock(mutex_);
    first_ = std::current_exception();
  }
  void rethrow() const {
    if (first_ != nullptr) {
      std::rethrow_exception(first_);
    }
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

// The threadgroups of a grid that no worker has taken yet.
class ThreadgroupQueue {
 public:
  explicit ThreadgroupQueue(const DispatchState& state)
      : count_(std::uint64_t{state.threadgroups.x} * state.threadgroups.y *
               state.threadgroups.z),
        order_(count_, state.request->seed) {}

  std::uint64_t count() const { return count_; }
  std::optional<std::uint64_t> take() {
    const std::uint64_t index = next_++;
    return index < count_ ? std::optional(order_[index]) : std::nullopt;
  }

 private:
  std::uint64_t count_;
  ThreadgroupOrder order_;
  std::atomic<std::uint64_t> next_{0};
};

void run_threadgroups(DispatchState& state, ThreadgroupQueue& queue) {
  Worker worker(state);
  auto threadgroup = queue.take();
  while (threadgroup.has_value() && !state.reports.is_stopped()) {
    worker.run_threadgroup(*threadgroup);
    threadgroup = queue.take();
  }
  worker.hand_in_counts();
}

void run_worker(DispatchState& state,
                ThreadgroupQueue& queue,
                WorkerErrors& errors) {
  try {
    run_threadgroups(state, queue);
  } catch (...) {
    errors.keep_current();
  }
}

void run_workers(DispatchState& state) {
  ThreadgroupQueue queue(state);
  WorkerErrors errors;
  const std::uint64_t wanted =
      state.request->workers > 0 ? state.request->workers : default_workers();
  std::vector<std::thread> others;
  for (std::uint64_t worker = 1; worker < std::min(wanted, queue.count());
       ++worker) {
    others.emplace_back([&] { run_worker(state, queue, errors); });
  }
  run_worker(state, queue, errors);
  for (std::thread& other : others) {
    other.join();
  }
  errors.rethrow();
}

void run_bound(DispatchState& state) {
  if (!state.request->kernel->is_checked()) {
    run_workers(state);
    return;
  }
  GuardedBuffers guarded(state.buffers);
  run_workers(state);
  guarded.restore();
}

std::set<std::uintptr_t> racing_addresses(
    const std::vector<Violation>& violations) {
  std::set<std::uintptr_t> addresses;
  for (const Violation& violation : violations) {
    if (violation.kind != ViolationKind::kRace) {
      continue;
    }
    addresses.insert(violation.place.address);
    if (violation.other.has_value()) {
      addresses.insert(violation.other->place.address);
    }
  }
  return addresses;
}

// A read that races with the write it should have followed also finds memory
// uninitialised in some order of lanes: the race says it all.
std::vector<Violation> without_consequences(std::vector<Violation> violations) {
  const std::set<std::uintptr_t> racing = racing_addresses(violations);
  std::erase_if(violations, [&racing](const Violation& violation) {
    return violation.kind == ViolationKind::kUninitialised &&
           racing.contains(violation.place.address);
  });
  return violations;
}

ThreadPlace place_of(const LaneContext& lane) {
  return {lane.group->threadgroup_position_in_grid,
          static_cast<int>(lane.simdgroup_index_in_threadgroup),
          static_cast<int>(lane.thread_index_in_simdgroup)};
}

}  // namespace

std::string name_of_buffer(const KernelDeclaration& declaration, int index) {
  const KernelArgument* argument = argument_of(declaration, index);
  return argument != nullptr ? argument->name
                             : "buffer " + std::to_string(index);
}

Violation violation_of_lane(const DispatchState& state,
                            ViolationKind kind,
                            const LaneContext& lane,
                            CallSite site,
                            std::string what) {
  Violation violation;
  violation.kind = kind;
  violation.what = std::move(what);
  violation.kernel = state.request->kernel->declaration().host_name;
  violation.place = place_of_call(site);
  violation.thread = place_of(lane);
  return violation;
}

void name_memory(const MemoryRegion& region,
                 std::int64_t offset,
                 Violation& violation) {
  violation.buffer = region.name;
  violation.buffer_index = region.buffer_index();
  violation.offset = offset;
}

OtherAccess other_lane(const LaneContext& lane, std::string what) {
  return {place_of_call(lane.site), place_of(lane), std::move(what)};
}

DispatchReport run_dispatch(const DispatchRequest& request) {
  DispatchState state{};
  state.request = &request;
  std::string limit = limit_exceeded(request);
  if (!limit.empty()) {
    const KernelDeclaration& declaration = request.kernel->declaration();
    Violation violation;
    violation.kind = ViolationKind::kLimit;
    violation.what = std::move(limit);
    violation.kernel = declaration.host_name;
    violation.place = {0, declaration.file, declaration.line};
    state.reports.add_violation(std::move(violation));
  } else {
    state.threadgroups = threadgroups_of(request);
    bind_buffers(state);
    run_bound(state);
  }
  DispatchReport report;
  report.violations = without_consequences(state.reports.take_violations());
  report.notes = state.reports.take_notes();
  report.counters = std::move(state.counters);
  locate_places(report.violations, *request.kernel);
  locate_places(report.notes, *request.kernel);
  return report;
}

}  // namespace flash_attn_mps::simulator
