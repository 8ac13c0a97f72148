// SPDX-License-Identifier: MIT
// Address spaces: every pointer and reference names one, globals are constant.
// Each snippet is checked alone, behind <metal_stdlib> and `using namespace
// metal`.

// snippet: pointer_parameter_without_space
// verdict: address-space
// known from: github.com/hashcat/hashcat/pull/3540, with Apple's message
float first(float* values) {  // finding
  return values[0];
}

// snippet: pointer_parameter_with_space
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/binbcast.metal
float first(device const float* values) {
  return values[0];
}

// snippet: local_pointer_without_space
// verdict: address-space
// known from: github.com/shader-slang/slang/issues/4129, with Apple's message
kernel void increment(device float* values [[buffer(0)]]) {
  float x = values[0];
  float* pointer = &x;  // finding
  *pointer += 1.0f;
  values[0] = x;
}

// snippet: local_pointer_with_space
// verdict: accepted
// known from: github.com/shader-slang/slang/issues/4129
kernel void increment(device float* values [[buffer(0)]]) {
  device float* pointer = values + 1;
  *pointer += 1.0f;
}

// snippet: cast_to_a_pointer_without_space
// verdict: address-space
// known from: github.com/hashcat/hashcat/pull/4237, with Apple's message
uint bits_of(float x) {
  float copy = x;
  return *(uint*)&copy;  // finding
}

// snippet: cast_to_a_pointer_with_space
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized_nax.h
uint bits_of(float x) {
  float copy = x;
  return *(thread uint*)&copy;
}

// snippet: reference_parameter_without_space
// verdict: address-space
// known from: practice
void add_one(float& x) {  // finding
  x += 1.0f;
}

// snippet: reference_parameter_with_space
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/attn/mma.h
void add_one(thread float& x) {
  x += 1.0f;
}

// snippet: const_reference_without_space
// verdict: address-space
// known from: practice
float twice(const float& x) {  // finding
  return 2.0f * x;
}

// snippet: const_thread_reference
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/attn/loader.h
float twice(thread const float& x) {
  return 2.0f * x;
}

// snippet: thread_reference_to_deduced_type
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/attn/mma.h
float sum_of_squares(float2 x) {
  float squares[2] = {x.x * x.x, x.y * x.y};
  thread auto& first = squares[0];
  return first + squares[1];
}

// snippet: member_pointer_without_space
// verdict: address-space
// known from: practice
struct Rows {
  float* begin;  // finding
  uint count;
};

uint rows_of(thread const Rows& rows) {
  return rows.count;
}

// snippet: member_pointer_with_space
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/attn/loader.h
struct Rows {
  device const float* begin;
  uint count;
};

float first(thread const Rows& rows) {
  return rows.begin[0];
}

// snippet: returned_pointer_without_space
// verdict: address-space
// known from: practice
constant float kTable[2] = {1.0f, 2.0f};

float* table();  // finding

// snippet: returned_pointer_with_space
// verdict: accepted
// known from: practice
device const float* second(device const float* values) {
  return values + 1;
}

// snippet: reinterpret_cast_in_a_space
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/gemm/mma.h
kernel void halves(device float* output [[buffer(0)]],
                   uint lane [[thread_index_in_threadgroup]]) {
  threadgroup half tile[64];
  tile[lane] = half(lane);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup const float* wide =
      reinterpret_cast<threadgroup const float*>(tile);
  output[lane] = wide[lane & 31];
}

// snippet: device_pointer_to_a_threadgroup_pointer
// verdict: compile
// known from: practice
kernel void mix_spaces(device float* values [[buffer(0)]]) {
  threadgroup float* tile = values;  // finding
  tile[0] = 1.0f;
}

// snippet: store_to_constant
// verdict: compile
// known from: practice
kernel void write_constant(constant float* values [[buffer(0)]]) {
  values[0] = 1.0f;  // finding
}

// snippet: store_to_const_device
// verdict: compile
// known from: practice
kernel void write_const(device const float* values [[buffer(0)]]) {
  values[0] = 1.0f;  // finding
}

// snippet: global_without_space
// verdict: global-variable
// known from: github.com/AdaptiveCpp/AdaptiveCpp/issues/864, with Apple's
// message
int counter = 3;  // finding

// snippet: constexpr_global_without_space
// verdict: global-variable
// known from: github.com/AdaptiveCpp/AdaptiveCpp/issues/864, with Apple's
// message
constexpr int kWidth = 4;  // finding

// snippet: const_global_without_space
// verdict: global-variable
// known from: github.com/AdaptiveCpp/AdaptiveCpp/issues/864, with Apple's
// message
const float kHalf = 0.5f;  // finding

// snippet: global_array_without_space
// verdict: global-variable
// known from: github.com/AdaptiveCpp/AdaptiveCpp/issues/864, with Apple's
// message
const float kTable[2] = {1.0f, 2.0f};  // finding

// snippet: constant_global
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/unary_ops.h
constant float kInfinity = metal::numeric_limits<float>::infinity();

// snippet: constant_constexpr_global
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/sort.h
static constant constexpr const int kWidth = 4;

kernel void widths(device int* output [[buffer(0)]]) {
  output[0] = kWidth;
}

// snippet: constant_array_global
// verdict: accepted
// known from: practice
constant uchar kMasks[4] = {1, 2, 4, 8};

kernel void masks(device uint* output [[buffer(0)]],
                  uint row [[thread_position_in_grid]]) {
  output[row] = kMasks[row & 3];
}

// snippet: static_member_without_space
// verdict: global-variable
// known from: practice
struct Shape {
  static constexpr int kRows = 8;  // finding
};

// snippet: static_member_in_constant
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/sort.h
struct Shape {
  static constexpr constant int kRows = 8;
};

kernel void rows(device int* output [[buffer(0)]]) {
  output[0] = Shape::kRows;
}

// snippet: constexpr_local
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized_nax.h
kernel void width(device int* output [[buffer(0)]]) {
  constexpr int kWidth = 16 / sizeof(float);
  output[0] = kWidth;
}

// snippet: enumerators_are_no_globals
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36), ggml-metal/kernels/common.h
enum Order { kAscending, kDescending };

kernel void order(device int* output [[buffer(0)]]) {
  output[0] = kDescending;
}
