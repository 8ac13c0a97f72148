// SPDX-License-Identifier: MIT
// Permutations from a seed.
#include "simulator/execute/order.h"

#include <numeric>
#include <random>
#include <utility>

namespace flash_attn_mps::simulator {

// Fisher-Yates by hand: std::shuffle may differ between standard libraries,
// and a seed must mean the same order everywhere.
std::vector<unsigned> running_order(unsigned count, std::uint64_t seed) {
  std::vector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0U);
  if (seed == 0) {
    return order;
  }
  std::mt19937_64 random(seed);
  for (unsigned left = count; left > 1; --left) {
    std::swap(order[left - 1], order[random() % left]);
  }
  return order;
}

// start + index * step modulo count, with a step prime to count: every
// threadgroup comes once, and no table of a large grid is needed.
ThreadgroupOrder::ThreadgroupOrder(std::uint64_t count, std::uint64_t seed)
    : count_(count) {
  if (seed == 0 || count < 2) {
    return;
  }
  std::mt19937_64 random(seed);
  constexpr std::uint64_t kLargestStep = std::uint64_t{1} << 31;
  start_ = random() % count;
  do {
    step_ = 1 + random() % kLargestStep;
  } while (std::gcd(step_, count) != 1);
}

std::uint64_t ThreadgroupOrder::operator[](std::uint64_t index) const {
  return (start_ + index * (step_ % count_)) % count_;
}

}  // namespace flash_attn_mps::simulator
