// SPDX-License-Identifier: MIT
// The 8x8 product: which lane holds what, exact values, rounding of 16-bit
// results, accumulation in slots and into slots that differ between lanes.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <memory>

#include "simulator/execute/matrix_product.h"

namespace {

namespace simulator = flash_attn_mps::simulator;
using simulator::kMatrixElements;
using simulator::kSimdWidth;
using simulator::MatrixQueue;

// Owner of every pair of elements, as public kernels rely on it.
constexpr std::array<std::array<unsigned, 4>, 8> kOwners = {{
    {0, 1, 8, 9},
    {2, 3, 10, 11},
    {4, 5, 12, 13},
    {6, 7, 14, 15},
    {16, 17, 24, 25},
    {18, 19, 26, 27},
    {20, 21, 28, 29},
    {22, 23, 30, 31},
}};

using Pair = std::array<float, 2>;
using Results = std::array<Pair, kSimdWidth>;

// A queue with one product posted by all lanes: A[i][k] = i + 1,
// B[k][j] = j - k, C = 0.
std::unique_ptr<MatrixQueue> queue_with_product(Results& results) {
  auto queue = std::make_unique<MatrixQueue>();
  simulator::reset_products(*queue);
  for (unsigned element = 0; element < kMatrixElements; ++element) {
    const unsigned row = element / 8;
    const unsigned column = element % 8;
    queue->a[0][element] = static_cast<float>(row + 1);
    queue->b[0][element] = static_cast<float>(column) - static_cast<float>(row);
    queue->d[0][element] = 0.0F;
  }
  for (unsigned lane = 0; lane < kSimdWidth; ++lane) {
    queue->destination[0][lane] = results[lane].data();
    queue->posted[lane] = 1;
  }
  return queue;
}

float expected(unsigned row, unsigned column) {
  return static_cast<float>(row + 1) *
         (8.0F * static_cast<float>(column) - 28.0F);
}

}  // namespace

BOOST_AUTO_TEST_CASE(lanes_hold_the_elements_that_kernels_rely_on) {
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned pair = 0; pair < 4; ++pair) {
      BOOST_TEST(simulator::matrix_offset_of_lane(kOwners[row][pair]) ==
                 row * 8 + pair * 2);
    }
  }
}

BOOST_AUTO_TEST_CASE(product_reaches_the_lanes_that_hold_it) {
  Results results{};
  const auto queue = queue_with_product(results);
  simulator::compute_products(*queue, 1);
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned pair = 0; pair < 4; ++pair) {
      const Pair& held = results[kOwners[row][pair]];
      BOOST_TEST(held[0] == expected(row, 2 * pair));
      BOOST_TEST(held[1] == expected(row, 2 * pair + 1));
    }
  }
}

BOOST_AUTO_TEST_CASE(half_result_is_rounded_to_nearest_even) {
  Results results{};
  const auto queue = queue_with_product(results);
  queue->element[0] = simulator::kMatrixHalf;
  // 2049 lies between the halves 2048 and 2050; 2051 between 2050 and 2052.
  for (unsigned element = 0; element < kMatrixElements; ++element) {
    queue->a[0][element] = 0.0F;
    queue->d[0][element] = element % 2 == 0 ? 2049.0F : 2051.0F;
  }
  simulator::compute_products(*queue, 1);
  BOOST_TEST(queue->d[0][0] == 2048.0F);
  BOOST_TEST(queue->d[0][1] == 2052.0F);
  const auto* halves = reinterpret_cast<std::uint16_t*>(results[0].data());
  BOOST_TEST(halves[0] == 0x6800U);
  BOOST_TEST(halves[1] == 0x6802U);
}

BOOST_AUTO_TEST_CASE(later_product_accumulates_into_its_slot) {
  Results results{};
  const auto queue = queue_with_product(results);
  for (unsigned element = 0; element < kMatrixElements; ++element) {
    queue->a[1][element] = queue->a[0][element];
    queue->b[1][element] = queue->b[0][element];
  }
  simulator::compute_products(*queue, 2);
  BOOST_TEST(results[0][0] == 2 * expected(0, 0));
}

BOOST_AUTO_TEST_CASE(lanes_may_accumulate_into_different_slots) {
  Results results{};
  Results fresh{};
  const auto queue = queue_with_product(results);
  constexpr unsigned kDifferingLane = 9;  // holds (0, 6) and (0, 7)
  for (unsigned element = 0; element < kMatrixElements; ++element) {
    queue->a[1][element] = queue->a[0][element];
    queue->b[1][element] = queue->b[0][element];
    queue->d[1][element] = 1000.0F;
  }
  queue->slot[1][kDifferingLane] = 1;
  queue->destination[1][kDifferingLane] = fresh[kDifferingLane].data();
  simulator::compute_products(*queue, 2);
  BOOST_TEST(results[0][0] == 2 * expected(0, 0));
  BOOST_TEST(results[kDifferingLane][0] == expected(0, 6));
  BOOST_TEST(fresh[kDifferingLane][0] == 1000.0F + expected(0, 6));
}

BOOST_AUTO_TEST_CASE(forgotten_destination_is_not_written) {
  Results results{};
  const auto queue = queue_with_product(results);
  queue->destination[0][3] = nullptr;
  simulator::compute_products(*queue, 1);
  BOOST_TEST(results[3][0] == 0.0F);
  BOOST_TEST(results[2][0] == expected(1, 0));
}

BOOST_AUTO_TEST_CASE(posted_products_looks_at_the_lanes_of_the_mask) {
  Results results{};
  const auto queue = queue_with_product(results);
  queue->posted[5] = 7;
  const auto all = simulator::posted_products(*queue, 0xffffffffU);
  BOOST_TEST(all.least == 1U);
  BOOST_TEST(all.most == 7U);
  BOOST_TEST(simulator::posted_products(*queue, 0xfU).most == 1U);
}
