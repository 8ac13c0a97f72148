// SPDX-License-Identifier: MIT
// Positions and sizes named once, outside of the kernels that use them, and
// atomics by the names that some texts have for them.
#include <metal_stdlib>

using namespace metal;

namespace scan {

const uint index [[thread_position_in_grid]];
const uint3 place [[thread_position_in_threadgroup]];
constant uint width [[threads_per_simdgroup]];

uint twice_the_index() {
  return index * 2;
}

kernel void number(device uint* out [[buffer(0)]]) {
  out[index] = twice_the_index() + place.x * 100 + width * 1000;
}

}  // namespace scan

kernel void own_names(device uint* out [[buffer(0)]],
                      uint index [[thread_position_in_grid]]) {
  uint width = 7;
  out[index] = width;
}

const unsigned int position [[thread_position_in_grid]];

struct Base {
  uint position;
};

struct Particle : Base {
  uint moved() const { return position + 1; }
  uint doubled() const thread;
};

uint Particle::doubled() const thread {
  return position * 2;
}

namespace fixed {

constant uint position = 7;

uint twice_the_position() {
  return position * 2;
}

}  // namespace fixed

kernel void members(device uint* out [[buffer(0)]]) {
  Particle particle;
  particle.position = 40;
  out[position] = 1000 * position + particle.moved() + particle.doubled() +
                  fixed::twice_the_position() + sizeof position;
}

kernel void keep_extremes(device const ulong* values [[buffer(0)]],
                          device atomic_ulong* extremes [[buffer(1)]],
                          device _atomic<uint>* count [[buffer(2)]],
                          uint i [[thread_position_in_grid]]) {
  atomic_min_explicit(&extremes[0], values[i], memory_order_relaxed);
  atomic_max_explicit(&extremes[1], values[i], memory_order_relaxed);
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

kernel void divide(device const int4* x [[buffer(0)]],
                   device int4* out [[buffer(1)]]) {
  out[0] = x[0] / x[1];
  out[1] = x[0] % x[1];
  uchar4 bytes = uchar4(200, 100, 50, 7);
  bytes /= uchar4(3);
  out[2] = int4(bytes);
}
