// SPDX-License-Identifier: MIT
// The order in which equal things run, drawn from a seed.
#pragma once

#include <cstdint>
#include <vector>

namespace flash_attn_mps::simulator {

// A permutation of 0 .. count - 1; the identity for seed 0.
std::vector<unsigned> running_order(unsigned count, std::uint64_t seed);

// The index-th element of a permutation of 0 .. count - 1 that is not stored;
// the identity for seed 0.
class ThreadgroupOrder {
 public:
  ThreadgroupOrder(std::uint64_t count, std::uint64_t seed);
  std::uint64_t operator[](std::uint64_t index) const;

 private:
  std::uint64_t count_;
  std::uint64_t step_ = 1;
  std::uint64_t start_ = 0;
};

}  // namespace flash_attn_mps::simulator
