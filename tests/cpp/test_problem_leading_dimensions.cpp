// SPDX-License-Identifier: MIT
// Folding of leading dimensions, checked against the addresses of all elements,
// and broadcasting.
#include <boost/test/unit_test.hpp>

#include "problem/leading_dimensions.h"

namespace flash_attn_mps {
namespace {

using Numbers = std::vector<int64_t>;

// Every offset, followed through one more dimension.
Numbers extend_offsets(const Numbers& offsets, int64_t size, int64_t stride) {
  Numbers extended;
  for (const int64_t offset : offsets) {
    for (int64_t index = 0; index < size; ++index) {
      extended.push_back(offset + index * stride);
    }
  }
  return extended;
}

// Offsets of the first element of every row, in row-major order of the indices.
Numbers row_offsets(const Numbers& sizes, const Numbers& strides) {
  Numbers offsets{0};
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    offsets = extend_offsets(offsets, sizes[i], strides[i]);
  }
  return offsets;
}

Numbers folded_offsets(const FourDimensions& folded) {
  return row_offsets(
      {folded.batch, folded.heads, folded.length, folded.head_dim},
      {folded.strides.batch, folded.strides.head, folded.strides.row, 1});
}

void check_fold(const Numbers& sizes, const Numbers& strides) {
  const auto folded = fold_leading_dimensions(sizes, strides);
  BOOST_REQUIRE(folded.has_value());
  BOOST_TEST(folded_offsets(*folded) == row_offsets(sizes, strides),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE(leading_dimensions)

BOOST_AUTO_TEST_CASE(FoldVisitsEveryRowInOrder) {
  check_fold({5, 8}, {8, 1});
  check_fold({3, 5, 8}, {40, 8, 1});
  check_fold({2, 3, 5, 8}, {120, 8, 24, 1});
  check_fold({2, 2, 3, 5, 8}, {240, 120, 40, 8, 1});
  check_fold({4, 1, 2, 3, 5, 8}, {240, 7, 120, 8, 24, 1});
  check_fold({4, 2, 3, 5, 8}, {0, 0, 40, 8, 1});
}

BOOST_AUTO_TEST_CASE(FoldRefusesWhatOneStrideCannotWalk) {
  const Numbers sizes{2, 3, 2, 5, 8};
  BOOST_TEST(!fold_leading_dimensions(sizes, Numbers{80, 160, 40, 8, 1}));
  BOOST_TEST(!fold_leading_dimensions(sizes, Numbers{0, 80, 40, 8, 1}));
}

BOOST_AUTO_TEST_CASE(FoldOfAnEmptyTensorHasNoElements) {
  const auto folded = fold_leading_dimensions(Numbers{2, 0, 3, 2, 5, 8},
                                              Numbers{1, 9, 5, 40, 8, 1});
  BOOST_REQUIRE(folded.has_value());
  BOOST_TEST(folded->elements() == 0);
}

BOOST_AUTO_TEST_CASE(BroadcastAlignsToTheRight) {
  using Shapes = std::vector<Numbers>;
  const auto shape = broadcast_shapes(Shapes{{1}, {2, 1}, {3, 1, 4}});
  BOOST_REQUIRE(shape.has_value());
  BOOST_TEST(*shape == (Numbers{3, 2, 4}), boost::test_tools::per_element());
  BOOST_TEST(!broadcast_shapes(Shapes{{2}, {3}}).has_value());
  const auto empty = broadcast_shapes(Shapes{{1}, {0}});
  BOOST_REQUIRE(empty.has_value());
  BOOST_TEST(*empty == Numbers{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace flash_attn_mps
