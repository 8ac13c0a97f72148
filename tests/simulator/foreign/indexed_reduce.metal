// SPDX-License-Identifier: MIT
// The place of the largest value of each row: a value with its index as a type
// of its own, overloads of library functions for it, limits of it, traits that
// choose a reducer, and a switch whose cases hold threadgroup arrays.
#include <metal_limits>
#include <metal_stdlib>
using namespace metal;

template <typename T>
struct indexed {
  uint i;
  T val;

  constexpr indexed<T>() threadgroup = default;
};

template <typename T>
struct is_indexed {
  static constant constexpr bool value = false;
};
template <typename T>
struct is_indexed<indexed<T>> {
  static constant constexpr bool value = true;
};
template <typename T>
constexpr constant bool is_indexed_t = is_indexed<T>::value;

template <typename T>
constexpr METAL_FUNC bool operator<(indexed<T> lhs, indexed<T> rhs) {
  return lhs.val < rhs.val || (lhs.val == rhs.val && lhs.i > rhs.i);
}

template <typename T>
struct _numeric_limits_impl<indexed<T>> {
  static constexpr METAL_FUNC indexed<T> lowest() {
    return indexed<T>{0, numeric_limits<T>::lowest()};
  }
};

METAL_FUNC bfloat simd_shuffle_down(bfloat value, ushort delta) {
  return as_type<bfloat>(simd_shuffle_down(as_type<ushort>(value), delta));
}
METAL_FUNC int64_t simd_shuffle_down(int64_t value, uint16_t delta) {
  return as_type<int64_t>(simd_shuffle_down(as_type<uint2>(value), delta));
}
template <typename T>
METAL_FUNC indexed<T> simd_shuffle_down(indexed<T> iv, ushort delta) {
  return indexed<T>{simd_shuffle_down(iv.i, delta),
                    simd_shuffle_down(iv.val, delta)};
}

template <typename T>
struct Max {
  static constexpr METAL_FUNC T init() { return numeric_limits<T>::lowest(); }
  template <typename V>
  METAL_FUNC V operator()(V a, V b) {
    return a < b ? b : a;
  }
  METAL_FUNC float operator()(float a, float b) { return fast::max(a, b); }
};

template <typename OP, typename T, typename _E = void>
struct operation;
template <typename OP, typename T>
struct operation<OP, T, typename metal::enable_if_t<!is_indexed_t<T>>> {
  OP op;
  METAL_FUNC T operator()(T a, T b, uint) { return op(a, b); }
  METAL_FUNC T operator()(T a, T b) { return op(a, b); }
};
template <typename OP, typename T>
struct operation<OP, indexed<T>> {
  OP op;
  METAL_FUNC indexed<T> operator()(indexed<T> a, indexed<T> b) {
    return op(a, b);
  }
  METAL_FUNC indexed<T> operator()(indexed<T> a, T b, uint index) {
    return this->operator()(a, indexed<T>{index, b});
  }
};

template <typename T, typename OP, ushort BLOCKSIZE>
struct block_reducer {
  operation<OP, T> operate;
  threadgroup T* shared;

  block_reducer(threadgroup T shared[BLOCKSIZE]) { this->shared = shared; }

  METAL_FUNC T operator()(T value, const uint tid) {
    if (BLOCKSIZE >= 64) {
      shared[tid] = value;
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
#pragma clang loop unroll(full)
    for (ushort s = BLOCKSIZE / 2; s >= 32; s >>= 1) {
      if (tid < s) {
        shared[tid] = operate(shared[tid], shared[tid + s]);
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (tid < 32) {
      value = BLOCKSIZE >= 64 ? shared[tid] : value;
      for (ushort delta = min(16, BLOCKSIZE / 2); delta > 0; delta /= 2) {
        value = operate(value, simd_shuffle_down(value, delta));
      }
    }
    return value;
  }
};

template <typename T, typename R, typename OP, ushort BLOCKSIZE>
METAL_FUNC void reduce_row(constant uint& columns,
                           device const T* src,
                           device R* dst,
                           threadgroup R shared[BLOCKSIZE],
                           uint tid [[thread_index_in_threadgroup]],
                           uint row [[threadgroup_position_in_grid]]) {
  operation<OP, R> operate;
  block_reducer<R, OP, BLOCKSIZE> reduce(shared);
  R value = OP::init();
  for (uint i = tid; i < columns; i += BLOCKSIZE) {
    value = operate(value, src[row * columns + i], i);
  }
  const R result = reduce(value, tid);
  if (tid == 0) {
    dst[row] = result;
  }
}

#define reduce_case(T, R, N)                                          \
  case N: {                                                           \
    threadgroup R shared[N];                                          \
    reduce_row<T, R, Max<R>, N>(columns, src, dst, shared, tid, row); \
    break;                                                            \
  }

#define REDUCE(NAME, T, R)                                       \
  kernel void NAME(constant uint& columns,                       \
                   device const T* src,                          \
                   device R* dst,                                \
                   uint tid [[thread_index_in_threadgroup]],     \
                   uint row [[threadgroup_position_in_grid]],    \
                   uint block_dim [[threads_per_threadgroup]]) { \
    switch (block_dim) {                                         \
      reduce_case(T, R, 128);                                    \
      reduce_case(T, R, 64);                                     \
      reduce_case(T, R, 32);                                     \
    }                                                            \
  }

REDUCE(maximum_f32, float, float)
REDUCE(argmax_f32, float, indexed<float>)
REDUCE(argmax_i64, int64_t, indexed<int64_t>)
REDUCE(argmax_bf16, bfloat, indexed<bfloat>)

static_assert(vec_elements<float4>::value == 4, "lanes of a vector");
static_assert(__is_valid_simdgroup_type<half>::value, "half is exchanged");
