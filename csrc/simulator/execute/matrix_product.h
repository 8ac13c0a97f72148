// SPDX-License-Identifier: MIT
// Computes the posted 8x8 matrix products of one simdgroup (Note [Matrix
// queue] in runtime_abi.h). Does not decide when.
#pragma once

#include "simulator/metal_headers/runtime_abi.h"

namespace flash_attn_mps::simulator {

// Offset of the first of the two elements that `lane` holds of an 8x8 matrix
// in row-major order; the second is its right neighbour.
unsigned matrix_offset_of_lane(unsigned lane);

struct PostedProducts {
  unsigned least;  // over the lanes of the mask
  unsigned most;
};

// How many products the lanes of `lanes` (bit mask) have posted.
PostedProducts posted_products(const MatrixQueue& queue, unsigned lanes);

// Computes entries up to `count`, in order, and writes the results to the
// objects of all lanes.
void compute_products(MatrixQueue& queue, unsigned count);

// Forgets all entries; objects stop being pending.
void reset_products(MatrixQueue& queue);

}  // namespace flash_attn_mps::simulator
