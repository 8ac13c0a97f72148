// SPDX-License-Identifier: MIT
// What functions may do: no recursion, pointers, virtual calls, jumps, assembly
// or static locals. Each snippet is checked alone, behind <metal_stdlib> and
// `using namespace metal`.

// snippet: direct_recursion
// verdict: recursion
// known from: github.com/shader-slang/slang/issues/5684
float power(float x, uint n) {  // finding
  return n == 0 ? 1.0f : x * power(x, n - 1);
}

// snippet: mutual_recursion
// verdict: recursion
// known from: practice
uint odd_steps(uint n);

uint even_steps(uint n) {  // finding
  return n == 0 ? 0 : 1 + odd_steps(n - 1);
}

uint odd_steps(uint n) {  // finding
  return n == 0 ? 0 : 1 + even_steps(n - 1);
}

// snippet: recursion_of_templates
// verdict: accepted
// known from: practice
template <int N>
struct Sum {
  static int upto() { return N + Sum<N - 1>::upto(); }
};

template <>
struct Sum<0> {
  static int upto() { return 0; }
};

kernel void sums(device int* output [[buffer(0)]]) {
  output[0] = Sum<4>::upto();
}

// snippet: overload_calls_overload
// verdict: accepted
// known from: practice
float square(float x) {
  return x * x;
}

float2 square(float2 x) {
  return float2(square(x.x), square(x.y));
}

// snippet: function_of_the_library_s_name
// verdict: accepted
// known from: practice
namespace own {
float exp(float x) {
  return metal::exp(x);
}
}  // namespace own

// snippet: pointer_to_function_variable
// verdict: function-pointer
// known from: practice
float twice(float x) {
  return 2.0f * x;
}

float apply(float x) {
  float (*function)(float) = twice;  // finding
  return function(x);
}

// snippet: pointer_to_function_parameter
// verdict: function-pointer
// known from: practice
float apply(float (*function)(float), float x) {  // finding
  return function(x);
}

// snippet: pointer_to_function_as_template_argument
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/mul_mv.metal
float twice(float x) {
  return 2.0f * x;
}

template <float (*function)(float)>
float apply(float x) {
  return function(x);
}

kernel void doubles(device float* output [[buffer(0)]]) {
  output[0] = apply<twice>(output[0]);
}

// snippet: lambda
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized_nax.h
kernel void squares(device float* output [[buffer(0)]]) {
  auto square = [](float x) { return x * x; };
  output[0] = square(output[0]);
}

// snippet: function_object
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized.h
struct Square {
  float operator()(float x) const thread { return x * x; }
};

kernel void squares(device float* output [[buffer(0)]]) {
  output[0] = Square{}(output[0]);
}

// snippet: goto
// verdict: goto
// known from: practice
int count(int n) {
  int i = 0;
again:
  if (++i < n) {
    goto again;  // finding
  }
  return i;
}

// snippet: switch
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/mul_mv.metal
float choose(int which) {
  switch (which) {
    case 0:
      return 1.0f;
    default:
      return 2.0f;
  }
}

// snippet: inline_assembly
// verdict: inline-assembly
// known from: practice
void wait() {
  asm("nop");  // finding
}

// snippet: inline_assembly_with_underscores
// verdict: inline-assembly
// known from: practice
void wait() {
  __asm__ volatile("nop");  // finding
}

// snippet: static_local
// verdict: static-local
// known from: practice
int next() {
  static int count = 0;  // finding
  return ++count;
}

// snippet: static_constexpr_local
// verdict: static-local
// known from: practice
int width() {
  static constexpr int kWidth = 4;  // finding
  return kWidth;
}

// snippet: static_function
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/rope.metal
static float ramp(float x) {
  return clamp(x, 0.0f, 1.0f);
}

kernel void ramps(device float* output [[buffer(0)]]) {
  output[0] = ramp(output[0]);
}

// snippet: exception
// verdict: exception
// known from: practice
int checked(int x) {
  if (x < 0) {
    throw x;  // finding
  }
  return x;
}

// snippet: allocation
// verdict: allocation
// known from: practice
int allocate() {
  thread int* x = new int(3);  // finding
  return *x;
}

// snippet: run_time_type
// verdict: run-time-type
// known from: practice
bool is_same(int a, int b) {
  return typeid(a) == typeid(b);  // finding
}

// snippet: thread_local
// verdict: storage-class
// known from: practice
int next() {
  thread_local int counter = 0;  // finding
  return ++counter;
}

// snippet: noexcept
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/utils/integral_constant.h
struct One {
  constexpr operator int() const thread noexcept { return 1; }
};

kernel void ones(device int* output [[buffer(0)]]) {
  output[0] = One{};
}

// snippet: if_constexpr
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized_nax.h
template <bool kIsDouble>
float scale(float x) {
  if constexpr (kIsDouble) {
    return 2.0f * x;
  } else {
    return x;
  }
}

kernel void scales(device float* output [[buffer(0)]]) {
  output[0] = scale<true>(output[0]);
}

// snippet: unroll_pragma
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized.h
float sum(float4 x) {
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    total += x[i];
  }
  return total;
}

// snippet: threadgroup_variable_in_a_function
// verdict: threadgroup-variable
// known from: github.com/shader-slang/slang/pull/4116
float share(float x, uint lane) {
  threadgroup float tile[32];  // finding
  tile[lane] = x;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return tile[31 - lane];
}

// snippet: threadgroup_scalar_in_a_function
// verdict: threadgroup-variable
// known from: github.com/shader-slang/slang/pull/4116
float share(float x, uint lane) {
  threadgroup float value;  // finding
  if (lane == 0) {
    value = x;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return value;
}

// snippet: threadgroup_pointer_in_a_function
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/attn/loader.h
float mirrored(threadgroup const float* tile, uint lane) {
  threadgroup const float* last = tile + 31;
  return *(last - lane);
}
