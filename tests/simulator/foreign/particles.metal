// SPDX-License-Identifier: MIT
// A compute kernel in one file with the functions that draw its result, and
// with kernels on textures: those are refused, it runs.
#include <metal_stdlib>

using namespace metal;

struct Particle {
  float2 position;
  float2 velocity;
};

struct Corner {
  float4 position [[position]];
  float size [[point_size]];
};

constexpr sampler nearest(coord::normalized, filter::nearest);

float2 bounced(float2 position, float2 velocity) {
  return select(velocity, -velocity, abs(position) > 1.0f);
}

float brightness(texture2d<float> image, float2 where) {
  return image.sample(nearest, where).x;
}

kernel void move(device Particle* particles [[buffer(0)]],
                 constant float& step [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  Particle p = particles[i];
  p.position += p.velocity * step;
  p.velocity = bounced(p.position, p.velocity);
  particles[i] = p;
}

vertex Corner corner(device const Particle* particles [[buffer(0)]],
                     uint i [[vertex_id]]) {
  return {float4(particles[i].position, 0, 1), 4.0f};
}

[[fragment]] half4 colour(Corner in [[stage_in]],
                          float2 where [[point_coord]]) {
  if (length(where - 0.5f) > 0.5f) {
    discard_fragment();
  }
  return half4(1);
}

template <typename T>
kernel void blur(texture2d<T, access::read> from [[texture(0)]],
                 texture2d<T, access::write> to [[texture(1)]],
                 uint2 at [[thread_position_in_grid]]) {
  to.write(from.read(at), at);
}

template [[host_name("blur_float")]] kernel decltype(blur<float>) blur<float>;

kernel void count(device uint* counts [[buffer(0)]],
                  uint i [[thread_position_in_grid]]) {
  counts[i] = __LINE__;
}
