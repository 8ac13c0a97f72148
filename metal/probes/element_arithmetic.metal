// SPDX-License-Identifier: MIT
// How numbers are rounded to the element type, and the element type's product.

[[kernel, max_total_threads_per_threadgroup(32)]] void element_arithmetic(
    device float* result [[buffer(0)]],       // [threads, 2]
    device const float* input [[buffer(1)]],  // [threads]
    uint index [[thread_position_in_grid]]) {
  const Element number = Element(input[index]);
  const Element factor = Element(1.5f);
  result[2 * index] = float(number);
  result[2 * index + 1] = float(number * factor);
}
