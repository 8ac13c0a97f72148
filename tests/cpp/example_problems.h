// SPDX-License-Identifier: MIT
// Problems that several C++ tests share. They only say what is asked; what must
// come of it stands in the tests.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "problem/attention_problem.h"

namespace flash_attn_mps {

struct ExampleSizes {
  int64_t batch = 1;
  int64_t query_heads = 1;
  int64_t key_value_heads = 1;
  int64_t query_length = 1;
  int64_t key_length = 1;
  int64_t head_dim = 64;
  int64_t value_head_dim = 64;
};

// A problem over dense row-major tensors with torch's default scale.
inline AttentionProblem dense_example(const ExampleSizes& sizes,
                                      ElementType element_type,
                                      Masking masking) {
  const TensorStrides query =
      row_major_strides(sizes.query_heads, sizes.query_length, sizes.head_dim);
  const TensorStrides key = row_major_strides(
      sizes.key_value_heads, sizes.key_length, sizes.head_dim);
  const TensorStrides value = row_major_strides(
      sizes.key_value_heads, sizes.key_length, sizes.value_head_dim);
  const TensorStrides output = row_major_strides(
      sizes.query_heads, sizes.query_length, sizes.value_head_dim);
  return {.element_type = element_type,
          .masking = masking,
          .batch = sizes.batch,
          .query_heads = sizes.query_heads,
          .key_value_heads = sizes.key_value_heads,
          .query_length = sizes.query_length,
          .key_length = sizes.key_length,
          .head_dim = sizes.head_dim,
          .value_head_dim = sizes.value_head_dim,
          .scale = 1.0 / std::sqrt(static_cast<double>(sizes.head_dim)),
          .strides = {.query = query,
                      .key = key,
                      .value = value,
                      .output = output,
                      .grad_output = output,
                      .grad_query = query,
                      .grad_key = key,
                      .grad_value = value}};
}

struct NamedProblem {
  std::string name;
  AttentionProblem problem;
};

// One problem of every kind that plans differently.
inline std::vector<NamedProblem> example_problems() {
  using enum ElementType;
  using enum Masking;
  return {
      {"float32_64", dense_example({2, 4, 4, 77, 77, 64, 64}, kFloat32, kNone)},
      {"float32_256_causal",
       dense_example({1, 2, 2, 300, 300, 256, 256}, kFloat32, kCausal)},
      {"float16_128_causal_gqa",
       dense_example({2, 8, 2, 1, 1000, 128, 128}, kFloat16, kCausal)},
      {"bfloat16_61",
       dense_example({3, 5, 1, 65, 33, 61, 61}, kBFloat16, kNone)},
      {"float16_192_value_128",
       dense_example({1, 16, 16, 128, 128, 192, 128}, kFloat16, kNone)},
      {"float32_1", dense_example({1, 1, 1, 1, 1, 1, 1}, kFloat32, kNone)},
      {"float32_no_keys",
       dense_example({2, 4, 4, 3, 0, 8, 8}, kFloat32, kNone)},
  };
}

}  // namespace flash_attn_mps
