// SPDX-License-Identifier: MIT
// A matrix of 4-bit blocks times a vector: buffers without attributes, sizes in
// a constant struct, a function constant, a function as template argument, a
// threadgroup argument, and a register tile in a float4x4.
#include <metal_stdlib>

using namespace metal;

#define BLOCK_VALUES 32

typedef struct {
  half scale;
  uint8_t nibbles[BLOCK_VALUES / 2];
} block_q4;

typedef struct {
  int32_t columns;
  int32_t rows;
  uint64_t row_bytes;
} matvec_args;

constant short FC_simdgroups [[function_constant(600)]];
constant bool FC_has_bias [[function_constant(601)]];
constant bool has_bias =
    is_function_constant_defined(FC_has_bias) ? FC_has_bias : false;

constexpr constant static float kOffsets[2] = {-8.f, 8.};

static inline float offset_of(constant float* offsets, int i) {
  return offsets[i];
}

template <typename type4x4>
void dequantize_q4(device const block_q4* block,
                   short half_index,
                   thread type4x4& reg) {
  const float scale = block->scale;
  float4x4 values;
  for (int i = 0; i < 16; i++) {
    const uint8_t pair = block->nibbles[i];
    const float value = half_index ? (pair >> 4) : (pair & 0x0F);
    values[i / 4][i % 4] = (value + offset_of(kOffsets, 0)) * scale;
  }
  reg = (type4x4)values;
}

template <typename block_t,
          short kTiles,
          void (*dequantize)(device const block_t*, short, thread float4x4&)>
kernel void matvec(constant matvec_args& args,
                   device const char* weights,
                   device const char* input,
                   device char* output,
                   device const float* bias
                   [[buffer(7), function_constant(has_bias)]],
                   threadgroup float* shared [[threadgroup(0)]],
                   uint3 tgpig [[threadgroup_position_in_grid]],
                   ushort lane [[thread_index_in_simdgroup]],
                   ushort sgitg [[simdgroup_index_in_threadgroup]]) {
  const short NSG = FC_simdgroups;
  device const block_t* row =
      (device const block_t*)(weights + tgpig.x * args.row_bytes);
  device const float4* y = (device const float4*)input;
  const int tiles = args.columns / BLOCK_VALUES * kTiles;
  float sum = 0.f;
  for (int tile = sgitg * 32 + lane; tile < tiles; tile += NSG * 32) {
    float4x4 reg;
    dequantize(row + tile / kTiles, tile % kTiles, reg);
    device const float4* from = y + tile * 4;
    sum += dot(reg[0], from[0]) + dot(reg[1], from[1]) + dot(reg[2], from[2]) +
           dot(reg[3], from[3]);
  }
  sum = simd_sum(sum);
  if (lane == 0) {
    shared[sgitg] = sum;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (sgitg == 0 && lane == 0) {
    float total = has_bias ? bias[tgpig.x] : 0.0;
    for (short i = 0; i < NSG; ++i) {
      total += shared[i];
    }
    ((device float*)output)[tgpig.x] = total;
  }
}

typedef decltype(matvec<block_q4, 2, dequantize_q4>) matvec_t;

template [[host_name(
    "matvec_q4_f32")]] kernel matvec_t matvec<block_q4, 2, dequantize_q4>;
