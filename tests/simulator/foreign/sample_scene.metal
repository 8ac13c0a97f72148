// SPDX-License-Identifier: MIT
// In the manner of Apple's sample code: types shared with the host, matrices
// at program scope, subscripts of temporaries, colours packed into integers.
#include <metal_pack>
#include <metal_stdlib>

using namespace metal;

#import "ShaderTypes.h"

constant float2x2 kQuarterTurn = float2x2(float2(0, 1), float2(-1, 0));
constant float3x3 kCounting = float3x3(1, 2, 3, 4, 5, 6, 7, 8, 10);
constant half4x4 kDoubling = half4x4(2.0h);
constant packed_float3 kCorners[2] = {packed_float3(1, 2, 3), {4, 5, 6}};
constant float3 kAxis = normalize(float3(1, 2, 2));

kernel void scene(device float* out [[buffer(BufferIndexResults)]],
                  constant Body* bodies [[buffer(BufferIndexBodies)]],
                  constant Scene& scene [[buffer(BufferIndexScene)]]) {
  int i = 0;
  out[i++] = bodies[1].position.y + bodies[1].colour.w + bodies[1].normal.z;
  out[i++] = bodies[1].velocity[1] + bodies[0].cell.y;
  out[i++] = (scene.projection * bodies[0].colour)[1];
  out[i++] = (scene.rotation * kCounting)[2][1] + scene.scale.y;
  out[i++] = (kQuarterTurn * float2(1, 2)).x + (float2(kCorners[1].xy) * 2)[1];
  out[i++] = (kDoubling * half4(1, 2, 3, 4))[3] + kAxis.y * 3;
  out[i++] = determinant(kQuarterTurn) + determinant(kCounting);
  float4x4 m = scene.projection;
  m *= m;
  out[i++] = determinant(m) + (-m)[0][0];
  out[i++] = (m == m) + (m != scene.projection);
  out[i++] = refract(float2(0, -1), float2(0, 1), 0.5f).y;
  out[i++] = faceforward(float3(0, 1, 0), float3(0, 1, 0), float3(0, 1, 0)).y;
}

kernel void packing(device const uint* words [[buffer(0)]],
                    device float4* values [[buffer(1)]],
                    device uint* back [[buffer(2)]]) {
  values[0] = unpack_unorm4x8_to_float(words[0]);
  values[1] = unpack_snorm4x8_to_float(words[0]);
  values[2] = unpack_unorm10a2_to_float(words[0]);
  values[3] = float4(unpack_snorm2x16_to_float(words[0]),
                     unpack_unorm2x16_to_float(words[0]));
  values[4] = float4(unpack_unorm565_to_float(ushort(words[0])), 0);
  values[5] = float4(unpack_unorm4x8_srgb_to_half(words[0]));
  back[0] = pack_float_to_unorm4x8(values[0]);
  back[1] = pack_float_to_snorm4x8(values[1]);
  back[2] = pack_float_to_unorm10a2(values[2]);
  back[3] = pack_float_to_snorm2x16(values[3].xy);
  back[4] = pack_float_to_unorm2x16(values[3].zw);
  back[5] = pack_float_to_unorm565(values[4].xyz);
  back[6] = pack_half_to_srgb_unorm4x8(half4(values[5]));
  back[7] = pack_float_to_unorm4x8(float4(-1, 2, 0.5f, INFINITY));
}
