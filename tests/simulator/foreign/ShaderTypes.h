// SPDX-License-Identifier: MIT
// What host code and kernels share, in the manner of Apple's sample code:
// enumerations by macro, vectors and matrices by their names in simd.h.
#ifndef ShaderTypes_h
#define ShaderTypes_h

#include <simd/simd.h>

#ifdef __METAL_VERSION__
#define SHARED_ENUM(T, NAME) \
  enum NAME : T NAME;        \
  enum NAME : T
#define SHARED_INTEGER metal::int32_t
#endif

typedef SHARED_ENUM(SHARED_INTEGER, BufferIndex){
    BufferIndexResults = 0,
    BufferIndexBodies = 1,
    BufferIndexScene = 2,
};

typedef struct {
  vector_float2 position;
  vector_float4 colour;
  simd_float3 normal;
  simd_packed_float3 velocity;
  vector_uint2 cell;
} Body;

typedef struct {
  matrix_float4x4 projection;
  simd_float3x3 rotation;
  simd::float2 scale;
} Scene;

#endif
