// SPDX-License-Identifier: MIT
// What translators from other shading languages write: arrays as structs with
// an operator for each address space, buffers as arrays of one element, every
// name qualified, and values made up where an index is out of range.
#include <simd/simd.h>

#include <metal_stdlib>

template <typename T, metal::size_t kLength>
struct Elements {
  T values[kLength ? kLength : 1];

  thread T& operator[](metal::size_t i) thread { return values[i]; }
  constexpr const thread T& operator[](metal::size_t i) const thread {
    return values[i];
  }
  device T& operator[](metal::size_t i) device { return values[i]; }
  constexpr const device T& operator[](metal::size_t i) const device {
    return values[i];
  }
  constexpr const constant T& operator[](metal::size_t i) const constant {
    return values[i];
  }
};

struct Results {
  metal::float4 rows[1];
};

struct Weights {
  uint count;
  Elements<float, 4> weights;
};

typedef float Floats[1];

struct AnyValue {
  template <typename T>
  operator T() && {
    return T{};
  }
};

struct Tables {
  constant float (*rows)[2];
};

constant Elements<float, 3> kOffsets = Elements<float, 3>({1.0, 2.0, 3.0});
constant float kRows[2][2] = {{1, 2}, {3, 4}};
constant metal::uint kScale_given [[function_constant(3)]];
constant uint kScale =
    metal::is_function_constant_defined(kScale_given) ? kScale_given : 10u;

static inline __attribute__((always_inline)) void add_to_row(
    device Results* thread& results,
    threadgroup float (&shared)[4],
    thread uint& i) {
  results->rows[i] += metal::float4(shared[i & 3u]);
}

kernel void rows(device Results& results [[buffer(0)]],
                 const device Weights& given [[buffer(1)]],
                 constant Weights& fixed [[buffer(2)]],
                 metal::uint3 id [[thread_position_in_grid]],
                 uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float storage[2][4];
  threadgroup float (&shared)[4] = storage[lane / 4u % 2u];
  shared[lane & 3u] = float(lane);
  metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
  device Results* target = &results;
  uint i = id.x;
  add_to_row(target, shared, i);
  Elements<float, 4> weights = given.weights;
  Elements<float, 4> others = fixed.weights;
  weights[i & 3u] += others[1] + kOffsets[2] + float(kScale);
  results.rows[i].y = weights[i & 3u];
  const Tables tables = {kRows};
  results.rows[i].z = tables.rows[1][i & 1u];
}

kernel void shift(metal::uint3 id [[thread_position_in_grid]],
                  device Floats const& from [[buffer(0)]],
                  device Floats& to [[buffer(1)]],
                  constant metal::uint& bytes [[buffer(2)]]) {
  const uint next = metal::uint2{id.x, id.x + 1u}.y;
  const float value = next < 1 + (bytes - 0 - 4) / 4 ? from[next] : AnyValue();
  to[id.x] = value;
}
