// SPDX-License-Identifier: MIT
// The text itself: characters, includes, and what clang refuses by itself.
// Each snippet is checked alone, behind <metal_stdlib> and `using namespace
// metal`.

// snippet: include_of_the_standard_library
// verdict: include
// known from: practice
#include <vector>  // finding

// snippet: include_of_a_c_header
// verdict: include
// known from: practice
#include <math.h>  // finding

// snippet: include_left_out_by_a_condition
// verdict: accepted
// known from: practice
#ifndef __METAL_VERSION__
#include <cstdint>
#endif

// snippet: include_of_metal_s_parts
// verdict: accepted
// known from: torch 2.13, include/c10/metal/igamma.h
#include <metal_math>
#include <metal_simdgroup>

float root(float x) {
  return metal::sqrt(x);
}

// snippet: standard_namespace
// verdict: compile
// known from: practice
float larger(float a, float b) {
  return std::max(a, b);  // finding
}

// snippet: variable_length_array
// verdict: compile
// known from: practice
float first(int n) {
  float values[n];  // finding
  values[0] = 1.0f;
  return values[0];
}

// snippet: variadic_function
// verdict: compile
// known from: practice
int first(int count, ...) {  // finding
  return count;
}

// snippet: wrong_barrier_argument
// verdict: compile
// known from: practice
kernel void wait(device float* output [[buffer(0)]]) {
  threadgroup_barrier(3);  // finding
  output[0] = 1.0f;
}

// snippet: unknown_function
// verdict: compile
// known from: practice
float root(float x) {
  return square_root(x);  // finding
}

// snippet: macro_that_builds_kernels
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/defines.h
#define FILL(type)                                                \
  kernel void fill_##type(device type* output [[buffer(0)]],      \
                          uint row [[thread_position_in_grid]]) { \
    output[row] = type(row);                                      \
  }

FILL(float)
FILL(half)
