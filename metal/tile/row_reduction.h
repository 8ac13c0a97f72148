// SPDX-License-Identifier: MIT
// Reductions along the rows of tiles. The four lanes that share a row differ in
// bits 0 and 3 of the lane, so two exchanges combine them.
#pragma once

#include "metal/tile/load.h"
#include "metal/tile/register_tile.h"

METAL_FUNC float row_max(float value) {
  value = max(value, simd_shuffle_xor(value, ushort(1)));
  return max(value, simd_shuffle_xor(value, ushort(8)));
}

METAL_FUNC float row_sum(float value) {
  value += simd_shuffle_xor(value, ushort(1));
  return value + simd_shuffle_xor(value, ushort(8));
}

// A sum that carries what its roundings lost (Knuth's two-sum, with the
// rounding of a product from a fused multiply-add). Fast math may simplify the
// carried part to zero; the sum is then an ordinary one.
struct CompensatedSum {
  float sum;
  float lost;

  METAL_FUNC void add_product(float a, float b) {
    const float product = a * b;
    const float total = sum + product;
    const float added = total - sum;
    lost += (sum - (total - added)) + (product - added) + fma(a, b, -product);
    sum = total;
  }
};

// Dot product of two rows in device memory, each lane of a row taking its
// columns of every fragment.
template <int kColumns, typename T>
METAL_FUNC float row_dot(device const T* a, device const T* b, int column) {
  CompensatedSum dot;
  dot.sum = 0.0f;
  dot.lost = 0.0f;
  for (int d = column; d < padded_columns(kColumns); d += 8) {
    dot.add_product(load_element<kColumns>(a, d), load_element<kColumns>(b, d));
    dot.add_product(load_element<kColumns>(a, d + 1),
                    load_element<kColumns>(b, d + 1));
  }
  return row_sum(dot.sum + dot.lost);
}

// Sum of the lane's own elements in row fragment m; row_sum makes it the row's.
template <int kTileRows, int kTileColumns>
METAL_FUNC float lane_row_sum(
    thread RegisterTile<kTileRows, kTileColumns>& tile,
    int m) {
  float sum = 0.0f;
  FLASH_ATTN_UNROLL
  for (int n = 0; n < kTileColumns / 8; n++) {
    const float2 elements = tile.fragments[m][n].thread_elements();
    sum += elements.x + elements.y;
  }
  return sum;
}
