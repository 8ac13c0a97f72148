// SPDX-License-Identifier: MIT
// Where an operand lives: rows of a matrix in device memory. Rows may lie
// anywhere; the elements of a row are neighbours.
#pragma once

template <typename T>
struct DeviceRows {
  device const T* first;  // [row_count, columns]
  long row_stride;        // elements
  uint row_count;         // at least 1 when a row is read

  // A row past the end stands for the last one, so that a read is always
  // inside the operand; what comes of it is masked or never stored.
  METAL_FUNC device const T* row(uint index) const {
    return first + row_stride * long(min(index, row_count - 1));
  }
};
