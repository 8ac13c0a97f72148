// SPDX-License-Identifier: MIT
// Threadgroup memory, stacks and the order of running: what the executing core
// promises to the kernels and to the checkers.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <set>
#include <vector>

#include "simulator/execute/memory_map.h"
#include "simulator/execute/order.h"
#include "simulator/execute/stack_region.h"
#include "simulator/execute/threadgroup_memory.h"

namespace simulator = flash_attn_mps::simulator;
using simulator::MemoryRegion;
using simulator::ThreadgroupMemory;

BOOST_AUTO_TEST_CASE(threadgroup_arrays_are_aligned_and_guarded) {
  ThreadgroupMemory memory;
  memory.begin_threadgroup(/*guard_bytes=*/64);
  const MemoryRegion* first = memory.add(6, 2, "first", 0);
  const MemoryRegion* second = memory.add(64, 16, "second", 1);
  BOOST_REQUIRE(first != nullptr);
  BOOST_REQUIRE(second != nullptr);
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(second->address) % 16 == 0U);
  BOOST_TEST((second->address - first->address >= 6 + 64));
  BOOST_TEST(memory.used_bytes() == 80U);
  BOOST_TEST(memory.find(first->address + 5) == first);
  BOOST_TEST(memory.find(first->address + 6) == nullptr);
  BOOST_TEST(memory.is_near(first->address + 6));
}

BOOST_AUTO_TEST_CASE(threadgroup_memory_ends_at_the_limit_of_the_device) {
  ThreadgroupMemory memory;
  memory.begin_threadgroup(0);
  BOOST_TEST(memory.add(32768, 4, "all", 0) != nullptr);
  BOOST_TEST(memory.add(1, 1, "more", 1) == nullptr);
  BOOST_TEST(memory.used_bytes() == 32769U);
  memory.begin_threadgroup(0);
  BOOST_TEST(memory.add(4, 4, "again", 0) != nullptr);
}

BOOST_AUTO_TEST_CASE(overlapping_buffers_give_a_write_to_the_writable_one) {
  std::vector<char> bytes(64);
  std::vector<MemoryRegion> buffers(2);
  buffers[0].address = bytes.data();
  buffers[0].bytes = 64;
  buffers[0].is_writable = false;
  buffers[1].address = bytes.data() + 32;
  buffers[1].bytes = 32;
  buffers[1].index = 1;
  ThreadgroupMemory memory;
  simulator::MemoryMap map(buffers, memory);
  constexpr std::uintptr_t kSite = 4096;
  const auto find = [&](std::size_t offset, bool is_write) {
    return map.find(bytes.data() + offset, 4, is_write, kSite);
  };
  BOOST_TEST(find(40, /*is_write=*/false) == &buffers[0]);
  BOOST_TEST(find(40, /*is_write=*/true) == &buffers[1]);
  BOOST_TEST(find(64, /*is_write=*/false) == nullptr);
  buffers[0].bytes = 42;
  BOOST_TEST(find(36, /*is_write=*/false) == &buffers[0]);
  BOOST_TEST(find(40, /*is_write=*/false) == &buffers[1]);
  BOOST_TEST(map.nearest(bytes.data() + 70) != nullptr);
}

BOOST_AUTO_TEST_CASE(context_of_a_lane_is_found_from_its_stack) {
  simulator::StackRegion region;
  region.commit(2);
  for (unsigned lane = 0; lane < 2; ++lane) {
    const auto top =
        reinterpret_cast<std::uintptr_t>(region.stack_top(lane)) - 64;
    BOOST_TEST(simulator::lane_of_stack(top) == &region.lane(lane));
    const auto bottom =
        reinterpret_cast<std::uintptr_t>(region.stack_bottom(lane));
    BOOST_TEST(simulator::lane_of_stack(bottom) == &region.lane(lane));
  }
}

BOOST_AUTO_TEST_CASE(seed_zero_keeps_the_natural_order) {
  const std::vector<unsigned> order = simulator::running_order(5, 0);
  BOOST_TEST(order == (std::vector<unsigned>{0, 1, 2, 3, 4}),
             boost::test_tools::per_element());
  BOOST_TEST(simulator::ThreadgroupOrder(100, 0)[42] == 42U);
}

BOOST_AUTO_TEST_CASE(another_seed_permutes) {
  std::vector<unsigned> order = simulator::running_order(32, 7);
  BOOST_TEST(!std::ranges::is_sorted(order));
  std::ranges::sort(order);
  BOOST_TEST(order.front() == 0U);
  BOOST_TEST(order.back() == 31U);
  std::set<std::uint64_t> threadgroups;
  const simulator::ThreadgroupOrder groups(60, 7);
  for (std::uint64_t index = 0; index < 60; ++index) {
    threadgroups.insert(groups[index]);
  }
  BOOST_TEST(threadgroups.size() == 60U);
  BOOST_TEST(*threadgroups.rbegin() == 59U);
}
