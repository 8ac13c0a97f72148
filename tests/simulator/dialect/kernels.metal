// SPDX-License-Identifier: MIT
// Kernels as a whole: return type, overloads, calls, indices, threadgroup
// memory. Each snippet is checked alone, behind <metal_stdlib> and `using
// namespace metal`.

// snippet: plain_kernel
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/misc.metal
kernel void copy(device const float* input [[buffer(0)]],
                 device float* output [[buffer(1)]],
                 uint row [[thread_position_in_grid]]) {
  output[row] = input[row];
}

// snippet: kernel_attribute
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/sort.h
[[kernel, max_total_threads_per_threadgroup(256)]] void copy(
    device const float* input [[buffer(0)]],
    device float* output [[buffer(1)]],
    uint row [[thread_position_in_grid]]) {
  output[row] = input[row];
}

// snippet: kernel_returns_a_value
// verdict: kernel-return-type
// known from: practice
kernel float first(device const float* input [[buffer(0)]]) {  // finding
  return input[0];
}

// snippet: kernel_attribute_returns_a_value
// verdict: kernel-return-type
// known from: practice
[[kernel]] uint count(device const uint* input [[buffer(0)]]) {  // finding
  return input[0];
}

// snippet: kernel_overload
// verdict: kernel-overload
// known from: practice
kernel void copy(device float* output [[buffer(0)]]) {
  output[0] = 1.0f;
}

kernel void copy(device int* output [[buffer(0)]]) {  // finding
  output[0] = 1;
}

// snippet: kernel_template_with_host_names
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36), ggml-metal/kernels/tri.metal
template <typename T>
kernel void fill(device T* output [[buffer(0)]],
                 uint row [[thread_position_in_grid]]) {
  output[row] = T(row);
}

template [[host_name("fill_float")]] kernel void fill<float>(
    device float* output [[buffer(0)]],
    uint row [[thread_position_in_grid]]);
template [[host_name("fill_half")]] kernel void fill<half>(
    device half* output [[buffer(0)]],
    uint row [[thread_position_in_grid]]);

// snippet: kernel_calls_kernel
// verdict: kernel-call
// known from: practice
kernel void clear(device float* output [[buffer(0)]]) {
  output[0] = 0.0f;
}

kernel void clear_twice(device float* output [[buffer(0)]]) {
  clear(output);      // finding
  clear(output + 1);  // finding
}

// snippet: function_calls_kernel
// verdict: kernel-call
// known from: practice
kernel void clear(device float* output [[buffer(0)]]) {
  output[0] = 0.0f;
}

void clear_next(device float* output) {
  clear(output + 1);  // finding
}

// snippet: kernels_share_a_function
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/mul_mv.metal
void clear_element(device float* output) {
  *output = 0.0f;
}

kernel void clear_first(device float* output [[buffer(0)]]) {
  clear_element(output);
}

kernel void clear_second(device float* output [[buffer(0)]]) {
  clear_element(output + 1);
}

// snippet: duplicate_buffer_index
// verdict: duplicate-index
// known from: practice
kernel void copy(device const float* input [[buffer(0)]],
                 device float* output [[buffer(0)]]) {  // finding
  output[0] = input[0];
}

// snippet: duplicate_buffer_index_by_expression
// verdict: duplicate-index
// known from: practice
enum Slot { kInput = 1, kOutput = 1 };

kernel void copy(device const float* input [[buffer(kInput)]],  // finding
                 device float* output [[buffer(kOutput)]]) {
  output[0] = input[0];
}

// snippet: duplicate_threadgroup_index
// verdict: duplicate-index
// known from: practice
kernel void stage(device float* output [[buffer(0)]],
                  threadgroup float* rows [[threadgroup(0)]],
                  threadgroup float* columns [[threadgroup(0)]]) {  // finding
  rows[0] = 1.0f;
  columns[0] = 2.0f;
  output[0] = rows[0];
}

// snippet: buffer_index_31
// verdict: index-range
// known from: github.com/libsdl-org/SDL/pull/10837: 31 slots
kernel void fill(device float* output [[buffer(31)]]) {  // finding
  output[0] = 1.0f;
}

// snippet: buffer_index_30
// verdict: accepted
// known from: github.com/libsdl-org/SDL/pull/10837: 31 slots
kernel void fill(device float* output [[buffer(30)]]) {
  output[0] = 1.0f;
}

// snippet: conditional_buffers_share_an_index
// verdict: accepted
// known from: mlx 0.32.4,
// backend/metal/kernels/steel/attn/kernels/steel_attention.h for the form

constant bool has_mask [[function_constant(0)]];
constant bool has_bias = !has_mask;

kernel void add(device float* output [[buffer(0)]],
                device const float* mask
                [[buffer(1), function_constant(has_mask)]],
                device const float* bias
                [[buffer(1), function_constant(has_bias)]]) {
  if (has_mask) {
    output[0] += mask[0];
  }
  if (has_bias) {
    output[0] += bias[0];
  }
}

// snippet: one_array_over_32_kilobytes
// verdict: threadgroup-bytes
// known from: github.com/avpbynf/Vitrail-Shaders/pull/400, with Apple's message
kernel void large(device float* output [[buffer(0)]],  // finding
                  uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[8193];
  tile[lane] = 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[31 - lane];
}

// snippet: two_arrays_over_32_kilobytes
// verdict: threadgroup-bytes
// known from: github.com/avpbynf/Vitrail-Shaders/pull/400, with Apple's message
kernel void large(device float* output [[buffer(0)]],  // finding
                  uint lane [[thread_index_in_threadgroup]]) {
  constexpr int kRows = 64;
  threadgroup float rows[kRows][kRows];
  threadgroup float4 columns[kRows][kRows / 4 + 1];
  rows[0][lane] = 1.0f;
  columns[0][lane] = float4(2.0f);
  threadgroup float4 sums[960];
  sums[lane] = float4(0.0f);
  output[lane] = rows[0][lane] + columns[0][lane].x + sums[lane].y;
}

// snippet: two_arrays_of_32_kilobytes
// verdict: accepted
// known from: github.com/avpbynf/Vitrail-Shaders/pull/400
kernel void large(device float* output [[buffer(0)]],
                  uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float rows[64][64];
  threadgroup float columns[4096];
  rows[0][lane] = 1.0f;
  columns[lane] = 2.0f;
  output[lane] = rows[0][lane] + columns[lane];
}

// snippet: more_threads_than_a_device_has
// verdict: thread-limit
// known from: github.com/gfx-rs/metal-rs/issues/244: 1024 threads
[[max_total_threads_per_threadgroup(2048)]]  // finding
kernel void fill(device float* output [[buffer(0)]]) {
  output[0] = 1.0f;
}

// snippet: threadgroup_argument
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/mul_mv.metal
kernel void stage(device float* output [[buffer(0)]],
                  threadgroup char* memory [[threadgroup(0)]],
                  uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float* tile = (threadgroup float*)memory;
  tile[lane] = 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[31 - lane];
}

// snippet: threadgroup_arrays_in_a_kernel
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized_nax.h
kernel void stage(device float* output [[buffer(0)]],
                  uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32 * 4];
  tile[lane] = 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  output[lane] = tile[31 - lane];
}

// snippet: function_constants
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/fp_quantized_nax.h
constant bool is_causal [[function_constant(0)]];
constant int width [[function_constant(1)]];

kernel void flags(device int* output [[buffer(0)]]) {
  output[0] = is_causal ? width : 0;
}

// snippet: structure_in_constant_memory
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/steel/attn/params.h
struct Params {
  int rows;
  int columns;
};

kernel void sizes(constant Params& params [[buffer(0)]],
                  device int* output [[buffer(1)]]) {
  output[0] = params.rows * params.columns;
}

// snippet: atomic_arguments
// verdict: accepted
// known from: llama.cpp (llama-cpp-python 0.3.36),
// ggml-metal/kernels/argsort.metal
kernel void count(device atomic_uint* bins [[buffer(0)]],
                  uint row [[thread_position_in_grid]]) {
  atomic_fetch_add_explicit(&bins[row & 7], 1u, memory_order_relaxed);
}

// snippet: matrices_of_a_simdgroup
// verdict: accepted
// known from: mlx 0.32.4, backend/metal/kernels/gated_delta_update.h
kernel void product(device const float* input [[buffer(0)]],
                    device float* output [[buffer(1)]]) {
  simdgroup_float8x8 x;
  simdgroup_float8x8 sum = simdgroup_float8x8(0.0f);
  simdgroup_load(x, input, 8);
  simdgroup_multiply_accumulate(sum, x, x, sum);
  simdgroup_store(sum, output, 8);
}

// snippet: kernel_argument_without_a_known_attribute
// verdict: compile
// known from: practice
kernel void fill(device float* output [[buffer(0)]],
                 uint row [[thread_position_in_the_grid]]) {  // finding
  output[row] = 1.0f;
}
