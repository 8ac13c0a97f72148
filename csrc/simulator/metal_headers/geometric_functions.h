// SPDX-License-Identifier: MIT
// <metal_geometric> and the interpolating functions of <metal_common>.
#pragma once

#include "floating_point_functions.h"
#include "integer_functions.h"

namespace metal {

template <typename T, int kLanes>
METAL_HOST_INLINE T dot(vec<T, kLanes> a, vec<T, kLanes> b) {
  T sum = a.lane_at(0) * b.lane_at(0);
  for (int i = 1; i < kLanes; ++i) {
    sum += a.lane_at(i) * b.lane_at(i);
  }
  return sum;
}
template <typename T>
METAL_HOST_INLINE vec<T, 3> cross(vec<T, 3> a, vec<T, 3> b) {
  return vec<T, 3>(
      a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
template <typename T, int kLanes>
METAL_HOST_INLINE T length_squared(vec<T, kLanes> x) {
  return dot(x, x);
}
template <typename T, int kLanes>
METAL_HOST_INLINE T length(vec<T, kLanes> x) {
  return sqrt(dot(x, x));
}
template <typename T, int kLanes>
METAL_HOST_INLINE T distance(vec<T, kLanes> a, vec<T, kLanes> b) {
  return length(a - b);
}
template <typename T, int kLanes>
METAL_HOST_INLINE T distance_squared(vec<T, kLanes> a, vec<T, kLanes> b) {
  return length_squared(a - b);
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> normalize(vec<T, kLanes> x) {
  return x * rsqrt(dot(x, x));
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> reflect(vec<T, kLanes> incident,
                                         vec<T, kLanes> normal) {
  return incident - T(2) * dot(normal, incident) * normal;
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> refract(vec<T, kLanes> incident,
                                         vec<T, kLanes> normal,
                                         T ratio) {
  const T cosine = dot(normal, incident);
  const T rest = T(1) - ratio * ratio * (T(1) - cosine * cosine);
  if (rest < T(0)) {
    return vec<T, kLanes>(T(0));
  }
  return ratio * incident - (ratio * cosine + sqrt(rest)) * normal;
}
template <typename T, int kLanes>
METAL_HOST_INLINE vec<T, kLanes> faceforward(vec<T, kLanes> normal,
                                             vec<T, kLanes> incident,
                                             vec<T, kLanes> reference) {
  const bool is_behind = dot(reference, incident) < T(0);
  return normal * (is_behind ? T(1) : T(-1));
}

// Scalars and vectors alike; a scalar beside vectors is splat.
template <typename X, typename Y, typename A>
METAL_HOST_INLINE auto mix(X x, Y y, A a) {
  return x + (y - x) * a;
}
template <typename T>
METAL_HOST_INLINE T smoothstep(T edge0, T edge1, T x) {
  const T t = saturate((x - edge0) / (edge1 - edge0));
  return t * t * (T(3) - T(2) * t);
}
template <typename A, typename B, typename C>
METAL_HOST_INLINE mixed_vector_t<A, B, C> smoothstep(A edge0, B edge1, C x) {
  using V = mixed_vector_t<A, B, C>;
  return smoothstep(V(edge0), V(edge1), V(x));
}

}  // namespace metal
