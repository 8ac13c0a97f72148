// SPDX-License-Identifier: MIT
// Softmax of rows by one threadgroup each: templates, instances by decltype,
// an include through the caller's path, reductions in two steps.
#include <metal_common>
#include <metal_simdgroup>

#include "row_limits.h"

using namespace metal;

template <typename T, typename Accumulator = float, int kReads = 4>
[[kernel]] void row_softmax(const device T* in [[buffer(0)]],
                            device T* out [[buffer(1)]],
                            const constant int& width [[buffer(2)]],
                            uint row [[threadgroup_position_in_grid]],
                            uint thread_index
                            [[thread_position_in_threadgroup]],
                            uint lane [[thread_index_in_simdgroup]],
                            uint group [[simdgroup_index_in_threadgroup]]) {
  constexpr int kSimdSize = 32;
  threadgroup Accumulator local_max[kSimdSize];
  threadgroup Accumulator local_sum[kSimdSize];
  Accumulator values[kReads];
  in += row * size_t(width) + thread_index * kReads;
  for (int i = 0; i < kReads; i++) {
    values[i] = int(thread_index * kReads + i) < width
                    ? Accumulator(in[i])
                    : RowLimits<Accumulator>::least;
  }
  if (group == 0) {
    local_max[lane] = RowLimits<Accumulator>::least;
    local_sum[lane] = 0;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  Accumulator maximum = values[0];
  for (int i = 1; i < kReads; i++) {
    maximum = (maximum < values[i]) ? values[i] : maximum;
  }
  maximum = simd_max(maximum);
  if (lane == 0) {
    local_max[group] = maximum;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  maximum = simd_max(local_max[lane]);
  Accumulator sum = 0;
  for (int i = 0; i < kReads; i++) {
    values[i] = fast::exp(values[i] - maximum);
    sum += values[i];
  }
  sum = simd_sum(sum);
  if (lane == 0) {
    local_sum[group] = sum;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const Accumulator scale = 1 / simd_sum(local_sum[lane]);
  out += row * size_t(width) + thread_index * kReads;
  for (int i = 0; i < kReads; i++) {
    if (int(thread_index * kReads + i) < width) {
      out[i] = T(values[i] * scale);
    }
  }
}

// clang-format off
#define instantiate_softmax(name, type) \
  instantiate_row_kernel("row_softmax_" #name, row_softmax, type) \
  instantiate_row_kernel("row_softmax_wide_" #name, row_softmax, type, float, 8)

instantiate_softmax(float32, float)
instantiate_softmax(float16, half)
instantiate_softmax(bfloat16, bfloat)
    // clang-format on
