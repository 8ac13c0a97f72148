// SPDX-License-Identifier: MIT
// Inclusive scans of rows: operators as types, simd scans and shuffles, a
// partial last block.
#include <metal_stdlib>

using namespace metal;

template <typename U>
struct CumSum {
  static constexpr constant U init = static_cast<U>(0);
  template <typename T>
  U operator()(U a, T b) {
    return a + b;
  }
  U simd_scan(U x) { return simd_prefix_inclusive_sum(x); }
  U simd_exclusive_scan(U x) { return simd_prefix_exclusive_sum(x); }
};

template <typename U>
struct CumMax {
  static constexpr constant U init = metal::numeric_limits<U>::lowest();
  template <typename T>
  U operator()(U a, T b) {
    return (a >= b) ? a : b;
  }
  U simd_scan(U x) {
    for (int i = 1; i <= 16; i *= 2) {
      U other = simd_shuffle_and_fill_up(x, init, i);
      x = (*this)(x, other);
    }
    return x;
  }
  U simd_exclusive_scan(U x) {
    return simd_shuffle_and_fill_up(simd_scan(x), init, 1);
  }
};

template <typename T, typename Op>
kernel void scan_rows(const device T* in [[buffer(0)]],
                      device T* out [[buffer(1)]],
                      const constant size_t& axis_size [[buffer(2)]],
                      uint2 gid [[threadgroup_position_in_grid]],
                      uint2 lid [[thread_position_in_threadgroup]],
                      uint2 lsize [[threads_per_threadgroup]],
                      uint simd_size [[threads_per_simdgroup]],
                      uint lane [[thread_index_in_simdgroup]],
                      uint group [[simdgroup_index_in_threadgroup]]) {
  Op op;
  threadgroup T sums[32];
  T carry = Op::init;
  in += gid.y * axis_size;
  out += gid.y * axis_size;
  const uint groups = lsize.x / simd_size;
  for (uint begin = 0; begin < axis_size; begin += lsize.x) {
    const uint i = begin + lid.x;
    T value = i < axis_size ? in[i] : Op::init;
    const T inclusive = op.simd_scan(value);
    const T previous = op.simd_exclusive_scan(value);
    if (lane == simd_size - 1) {
      sums[group] = op(previous, value);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (group == 0) {
      const T of_group = lane < groups ? sums[lane] : Op::init;
      sums[lane] = op.simd_exclusive_scan(of_group);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const T result = op(op(carry, sums[group]), inclusive);
    if (i < axis_size) {
      out[i] = result;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lid.x == lsize.x - 1) {
      sums[0] = result;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    carry = sums[0];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

#define instantiate_scan(name, type, op)                                     \
  template                                                                   \
      [[host_name("scan_" name)]] kernel decltype(scan_rows<type, op<type>>) \
          scan_rows<type, op<type>>;
instantiate_scan("sum_f32", float, CumSum)
    instantiate_scan("max_i32", int, CumMax)
        instantiate_scan("sum_u64", ulong, CumSum)
