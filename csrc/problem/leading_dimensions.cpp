// SPDX-License-Identifier: MIT
// Folding and broadcasting of leading dimensions; see the header.
#include "problem/leading_dimensions.h"

#include <algorithm>
#include <cstddef>

namespace flash_attn_mps {
namespace {

struct FoldedDimension {
  int64_t size = 1;
  int64_t stride = 0;
};

// One dimension that visits the elements of several, the last one fastest. A
// dimension of size 1 has no say, whatever its stride.
std::optional<FoldedDimension> fold(std::span<const int64_t> sizes,
                                    std::span<const int64_t> strides) {
  FoldedDimension folded;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) {
      return FoldedDimension{.size = 0, .stride = 0};
    }
    if (sizes[i] == 1) {
      continue;
    }
    if (folded.size == 1) {
      folded.stride = strides[i];
    } else if (strides[i] != folded.stride * folded.size) {
      return std::nullopt;
    }
    folded.size *= sizes[i];
  }
  return folded;
}

// Broadcasts one shape into the result, which has at least its rank; false if a
// size stands against it.
bool broadcast_into(std::vector<int64_t>& result,
                    const std::vector<int64_t>& shape) {
  const std::size_t offset = result.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    int64_t& size = result[offset + i];
    if (size != shape[i] && size != 1 && shape[i] != 1) {
      return false;
    }
    size = size == 1 ? shape[i] : size;
  }
  return true;
}

}  // namespace

std::optional<FourDimensions> fold_leading_dimensions(
    std::span<const int64_t> sizes,
    std::span<const int64_t> strides) {
  const std::size_t rank = sizes.size();
  const std::size_t batch_dimensions = rank > 3 ? rank - 3 : 0;
  const auto batch =
      fold(sizes.first(batch_dimensions), strides.first(batch_dimensions));
  if (!batch) {
    return std::nullopt;
  }
  FourDimensions result{
      .batch = batch->size,
      .heads = rank >= 3 ? sizes[rank - 3] : 1,
      .length = sizes[rank - 2],
      .head_dim = sizes[rank - 1],
      .strides = {.batch = batch->stride,
                  .head = rank >= 3 ? strides[rank - 3] : 0,
                  .row = strides[rank - 2]},
  };
  return result;
}

std::optional<std::vector<int64_t>> broadcast_shapes(
    const std::vector<std::vector<int64_t>>& shapes) {
  std::size_t rank = 0;
  for (const auto& shape : shapes) {
    rank = std::max(rank, shape.size());
  }
  std::vector<int64_t> result(rank, 1);
  for (const auto& shape : shapes) {
    if (!broadcast_into(result, shape)) {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace flash_attn_mps
