// SPDX-License-Identifier: MIT
// A bitonic sort of one block: functor types with qualified members, names that
// mean one thing as an alias and another as a template parameter, swaps through
// thread references, static constants of structs.
#include <metal_stdlib>

#define MTL_CONST static constant constexpr const

using namespace metal;

template <typename T>
struct LessThan {
  MTL_CONST bool kAscending = true;
  METAL_FUNC bool operator()(T a, T b) const thread { return a < b; }
};

template <typename T>
struct GreaterThan {
  MTL_CONST bool kAscending = false;
  METAL_FUNC bool operator()(T a, T b) { return b < a; }
};

template <typename T>
METAL_FUNC void thread_swap(thread T& a, thread T& b) {
  T w = a;
  a = b;
  b = w;
}

// Here U and Pair are aliases; below U is a template parameter and Pair a
// function.
struct Exchange {
  using U = uint;
  typedef uint2 Pair;
  METAL_FUNC static Pair partners(U lane, U distance) {
    return Pair(lane, lane ^ distance);
  }
};

template <typename U>
METAL_FUNC U Pair(U low, U high) {
  return low + U(high);
}

template <typename T, short kBlock, typename Compare>
[[kernel, max_total_threads_per_threadgroup(kBlock)]] void block_sort(
    device T* data [[buffer(0)]],
    threadgroup T* block [[threadgroup(0)]],
    uint lid [[thread_index_in_threadgroup]],
    uint tid [[threadgroup_position_in_grid]]) {
  Compare compare;
  data += tid * kBlock;
  block[lid] = data[lid];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint length = 2; length <= uint(kBlock); length <<= 1) {
    for (uint distance = length / 2; distance > 0; distance /= 2) {
      const uint2 pair = Exchange::partners(lid, distance);
      if (pair.y > pair.x) {
        T a = block[pair.x], b = block[pair.y];
        const bool is_up = (pair.x & length) == 0;
        if (is_up ? compare(b, a) : Compare()(a, b)) {
          thread_swap(a, b);
        }
        block[pair.x] = a;
        block[pair.y] = b;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  }
  data[lid] = Pair<T>(block[lid], 0);
  static_assert(Compare::kAscending || kBlock > 1, "one block at least");
}

#define instantiate_sort(name, type, compare)           \
  template [[host_name("sort_" #name)]] [[kernel]] void \
  block_sort<type, 128, compare<type>>(                 \
      device type * data [[buffer(0)]],                 \
      threadgroup type * block [[threadgroup(0)]],      \
      uint lid [[thread_index_in_threadgroup]],         \
      uint tid [[threadgroup_position_in_grid]]);

instantiate_sort(float_up, float, LessThan);
instantiate_sort(int_down, int, GreaterThan);
instantiate_sort(ushort_up, ushort, LessThan);
