// SPDX-License-Identifier: MIT
// Normalisation of rows by one simdgroup each: vec<T, 4>, a lambda, if
// constexpr, a constant struct behind a pointer, fast and precise functions.
#include <metal_stdlib>

using namespace metal;

struct NormParams {
  uint width;
  float epsilon;
  packed_float2 affine;
};

enum class Centre : ushort { kMean, kNone };

template <typename T, Centre kCentre>
kernel void layer_norm(device const vec<T, 4>* x [[buffer(0)]],
                       device vec<T, 4>* y [[buffer(1)]],
                       constant NormParams* params [[buffer(2)]],
                       uint2 tgid [[threadgroup_position_in_grid]],
                       ushort lane [[thread_index_in_simdgroup]]) {
  using float4_t = vec<float, 4>;
  const NormParams p = *params;
  const uint quads = params->width >> 2;
  device const vec<T, 4>* row = x + tgid.y * quads;
  auto sum_of = [&](auto transform) {
    float4_t partial = float4_t(0);
    for (uint i = lane; i < quads; i += 32) {
      partial += transform(float4_t(row[i]));
    }
    const float2 halves = partial.xy + partial.zw;
    return simd_sum(halves.x + halves.y) / p.width;
  };
  float mean = 0;
  if constexpr (kCentre == Centre::kMean) {
    mean = sum_of([](float4_t v) { return v; });
  }
  const float variance = sum_of([=](float4_t v) {
    const float4_t centred = v - mean;
    return centred * centred;
  });
  const float scale = precise::rsqrt(variance + p.epsilon);
#pragma clang loop unroll(full)
  for (uint i = lane; i < quads; i += 32) {
    float4 v = (float4(row[i]) - mean) * scale;
    v = fma(v, p.affine.x, float4(params->affine.y));
    (y + tgid.y * quads)[i] = vec<T, 4>(v);
  }
}

template [[host_name("layer_norm_f32")]] kernel void
layer_norm<float, Centre::kMean>(device const vec<float, 4>*,
                                 device vec<float, 4>*,
                                 constant NormParams*,
                                 uint2,
                                 ushort);
template [[host_name(
    "rms_norm_f16")]] kernel decltype(layer_norm<half, Centre::kNone>)
    layer_norm<half, Centre::kNone>;
template [[host_name(
    "layer_norm_bf16")]] kernel decltype(layer_norm<bfloat, Centre::kMean>)
    layer_norm<bfloat, Centre::kMean>;
