// SPDX-License-Identifier: MIT
// Types that Metal lacks, conversions to and from bfloat, vector conditions and
// casts. Each snippet is checked alone, behind <metal_stdlib> and `using
// namespace metal`.

// snippet: double_variable
// verdict: double
// known from: github.com/apache/tvm/pull/7118
float half_of(float x) {
  double wide = x;  // finding
  return float(wide / 2);
}

// snippet: double_parameter
// verdict: double
// known from: github.com/apache/tvm/pull/7118
float narrow(double x) {  // finding
  return float(x);
}

// snippet: long_double
// verdict: double
// known from: github.com/JuliaGPU/Metal.jl/issues/84
float narrow(float x) {
  long double wide = x;  // finding
  return float(wide);
}

// snippet: literal_without_suffix
// verdict: accepted
// known from: practice
float half_of(float x) {
  return x * 0.5;
}

// snippet: float_to_bfloat_in_a_declaration
// verdict: bfloat-conversion
// known from: github.com/tracel-ai/cubecl/issues/1522, with Apple's message
bfloat narrow(float x) {
  bfloat y = x;  // finding
  return y;
}

// snippet: float_to_bfloat_by_assignment
// verdict: bfloat-conversion
// known from: mlx 0.32.4, backend/metal/kernels/bf16_math.h
kernel void narrow(device const float* input [[buffer(0)]],
                   device bfloat* output [[buffer(1)]]) {
  output[0] = input[0];  // finding
}

// snippet: float_to_bfloat_by_return
// verdict: bfloat-conversion
// known from: mlx 0.32.4, backend/metal/kernels/bf16_math.h
bfloat narrow(float x) {
  return x;  // finding
}

// snippet: half_to_bfloat
// verdict: bfloat-conversion
// known from: mlx 0.32.4, backend/metal/kernels/bf16_math.h
bfloat narrow(half x) {
  bfloat y = x;  // finding
  return y;
}

// snippet: bfloat_to_half
// verdict: bfloat-conversion
// known from: mlx 0.32.4, backend/metal/kernels/bf16_math.h
half narrow(bfloat x) {
  half y = x;  // finding
  return y;
}

// snippet: float_to_bfloat_as_an_argument
// verdict: bfloat-conversion
// known from: mlx 0.32.4, backend/metal/kernels/bf16_math.h
float widen(bfloat x) {
  return float(x);
}

float round_trip(float x) {
  return widen(x);  // finding
}

// snippet: bfloat_by_a_function_cast
// verdict: accepted
// known from: github.com/tracel-ai/cubecl/issues/1522
bfloat narrow(float x) {
  bfloat y = bfloat(x);
  return y;
}

// snippet: bfloat_by_static_cast
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/bf16_math.h
bfloat narrow(float x) {
  return static_cast<bfloat>(metal::abs(x));
}

// snippet: bfloat_by_a_c_cast
// verdict: accepted
// known from: practice
bfloat narrow(float x) {
  return (bfloat)x;
}

// snippet: bfloat_to_float
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/bf16_math.h
float widen(bfloat x) {
  float y = x;
  return y;
}

// snippet: product_of_bfloats
// verdict: accepted
// known from: practice
bfloat square(bfloat x) {
  return x * x;
}

// snippet: condition_of_vector_type
// verdict: vector-condition
// known from: practice
float4 larger(float4 a, float4 b) {
  return a > b ? a : b;  // finding
}

// snippet: condition_of_bool_vector_type
// verdict: vector-condition
// known from: practice
float2 larger(float2 a, float2 b) {
  bool2 is_larger = a > b;
  return is_larger ? a : b;  // finding
}

// snippet: select_of_vectors
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/utils.h
float4 larger(float4 a, float4 b) {
  return metal::select(b, a, a > b);
}

// snippet: scalar_condition_of_vectors
// verdict: accepted
// known from: practice
float4 choose(float4 a, float4 b, bool is_first) {
  return is_first ? a : b;
}

// snippet: any_of_a_comparison
// verdict: accepted
// known from: practice
bool has_larger(float4 a, float4 b) {
  return any(a > b);
}

// snippet: vector_cast_of_four_values
// verdict: vector-cast
// known from: practice
float4 corners(float a, float b) {
  return (float4)(a, b, a, b);  // finding
}

// snippet: vector_cast_of_two_values
// verdict: vector-cast
// known from: practice
half2 pair(half a, half b) {
  half2 both = (half2)(a, b);  // finding
  return both;
}

// snippet: vector_cast_of_one_value
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/fa_vec_common.metal
float sum(half4 x) {
  return dot((float4)x, (float4)(1.0f));
}

// snippet: vector_cast_of_a_call
// verdict: accepted
// known from: practice
half4 smaller(float4 a, float4 b) {
  return (half4)(min(a, b));
}

// snippet: vector_constructor
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized_nax.h
float4 corners(float2 a, float b) {
  return float4(a, b, b);
}

// snippet: vector_of_a_template
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/attn/mma.h
template <typename T>
vec<T, 2> pair(T x) {
  return vec<T, 2>(x, x);
}

kernel void pairs(device float2* output [[buffer(0)]]) {
  output[0] = pair<float>(1.0f);
}

// snippet: union
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/atomic.h
union Word {
  float value;
  uint bits;
};

uint bits_of(float x) {
  Word word;
  word.value = x;
  return word.bits;
}

// snippet: bit_cast
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36), ggml-metal/kernels/common.h
uint bits_of(float x) {
  return as_type<uint>(x);
}

// snippet: mix_of_float4_and_half4
// verdict: compile
// known from: practice
float4 mix_widths(float4 a, half4 b) {
  return a + b;  // finding
}

// snippet: derived_structure
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/utils/type_traits.h
struct Base {
  float x;
};

struct Derived : Base {
  float y;
};

float sum(thread const Derived& value) {
  return value.x + value.y;
}

// snippet: virtual_function
// verdict: virtual
// known from: practice
struct Shape {
  virtual float area() {  // finding
    return 0.0f;
  }
};

// snippet: aligned_structure
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/attn/loader.h
struct alignas(16) Block {
  float values[4];
};

kernel void copy(device const Block* input [[buffer(0)]],
                 device Block* output [[buffer(1)]]) {
  output[0] = input[0];
}
