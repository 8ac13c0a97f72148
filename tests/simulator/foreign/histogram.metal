// SPDX-License-Identifier: MIT
// Counting with atomics, in threadgroup memory first, and kernels that a macro
// builds for each pair of types.
#include <metal_atomic>
#include <metal_stdlib>

using namespace metal;

kernel void histogram(device const uchar* values [[buffer(0)]],
                      device atomic_uint* counts [[buffer(1)]],
                      constant uint& size [[buffer(2)]],
                      uint gid [[thread_position_in_grid]],
                      uint lid [[thread_position_in_threadgroup]],
                      uint threads [[threads_per_threadgroup]],
                      uint total [[threads_per_grid]]) {
  threadgroup atomic_uint local[16];
  for (uint bin = lid; bin < 16; bin += threads) {
    atomic_store_explicit(&local[bin], 0, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = gid; i < size; i += total) {
    atomic_fetch_add_explicit(&local[values[i] & 15], 1u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint bin = lid; bin < 16; bin += threads) {
    const uint count = atomic_load_explicit(&local[bin], memory_order_relaxed);
    atomic_fetch_add_explicit(counts + bin, count, memory_order_relaxed);
  }
}

// The largest float, by compare and exchange of its bits.
kernel void float_maximum(device const float* values [[buffer(0)]],
                          device atomic_uint* best [[buffer(1)]],
                          uint gid [[thread_position_in_grid]]) {
  uint expected = atomic_load_explicit(best, memory_order_relaxed);
  while (as_type<float>(expected) < values[gid]) {
    if (atomic_compare_exchange_weak_explicit(best,
                                              &expected,
                                              as_type<uint>(values[gid]),
                                              memory_order_relaxed,
                                              memory_order_relaxed)) {
      break;
    }
  }
}

template <typename L, typename R>
[[kernel]] void cast_values(device const L* input,
                            device R* output,
                            constant size_t& count,
                            uint tid [[thread_position_in_grid]]) {
  if (tid >= count) {
    return;
  }
  output[tid] = static_cast<R>(input[tid]);
}

#define CAST(NAME, L, R)                                   \
  kernel void NAME(device const L* input,                  \
                   device R* output,                       \
                   constant size_t& count,                 \
                   uint tid [[thread_position_in_grid]]) { \
    if (tid < count) {                                     \
      output[tid] = R(input[tid]);                         \
    }                                                      \
  }                                                        \
  template [[host_name(#NAME "_template")]] [[kernel]]     \
  decltype(cast_values<L, R>) cast_values<L, R>;

CAST(cast_f16_bf16, half, bfloat)
CAST(cast_bf16_f16, bfloat, half)
CAST(cast_f32_u8, float, uint8_t)
CAST(cast_i64_f32, int64_t, float)
