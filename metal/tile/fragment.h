// SPDX-License-Identifier: MIT
// One 8x8 fragment of a matrix, spread over the 32 lanes of a simdgroup, and
// which of its elements a lane holds. It moves no data.
#pragma once

#define FLASH_ATTN_UNROLL _Pragma("clang loop unroll(full)")

// Every operand and accumulator is float32; 16-bit elements are widened when
// they are loaded.
using Fragment = simdgroup_matrix<float, 8, 8>;

// A lane holds the elements (row, column) and (row, column + 1).
struct LaneCoordinate {
  ushort row;     // 0..7
  ushort column;  // 0, 2, 4 or 6
};

// Bits of the lane from the lowest: column bit 1, row bits 0 and 1, column bit
// 2, row bit 2: what kernels that ship on M1 to M5 rely on.
METAL_FUNC LaneCoordinate lane_coordinate(ushort lane) {
  LaneCoordinate coordinate;
  coordinate.row = ushort(((lane >> 2) & 4) | ((lane >> 1) & 3));
  coordinate.column = ushort(((lane >> 1) & 4) | ((lane & 1) << 1));
  return coordinate;
}

// Columns of the fragments that hold `columns` columns; at least one fragment.
constexpr int padded_columns(int columns) {
  return columns <= 8 ? 8 : (columns + 7) / 8 * 8;
}
