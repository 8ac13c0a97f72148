// SPDX-License-Identifier: MIT
// Whether rows of a matrix are found whose distance exceeds 32 bits of bytes.

#include "metal/tile/device_rows.h"

[[kernel, max_total_threads_per_threadgroup(32)]] void wide_offset(
    device float* result [[buffer(0)]],       // [32]
    device const float* input [[buffer(1)]],  // [5, kRowStride]
    uint index [[thread_position_in_grid]]) {
  // Four rows are 4 GiB and 48 bytes.
  constexpr long kRowStride = (1l << 28) + 3;
  const DeviceRows<float> rows = {input, kRowStride, 5};
  result[index] = *rows.row(index < 4 ? 0 : 4) + float(index);
}
