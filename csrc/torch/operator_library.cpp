// SPDX-License-Identifier: MIT
// Schemas of the operators and their registration. No operator has
// keyword-only arguments: torch.library's autocast rules refuse them.
#include <torch/csrc/stable/library.h>

#include "torch/attention_operators.h"
#include "torch/device_admission.h"
#include "torch/introspection.h"
#include "torch/kernel_inventory.h"
#include "torch/probe.h"

namespace flash_attn_mps {
namespace {

// As many parameters as the schema, which TORCH_BOX has to see.
// NOLINTNEXTLINE(readability-function-size)
Gradients backward(Tensor grad_output,
                   Tensor query,
                   Tensor key,
                   Tensor value,
                   Tensor output,
                   Tensor log_sum_exp,
                   bool is_causal,
                   std::optional<double> scale,
                   bool enable_gqa,
                   std::vector<bool> output_mask) {
  return attention_backward({.grad_output = std::move(grad_output),
                             .query = std::move(query),
                             .key = std::move(key),
                             .value = std::move(value),
                             .output = std::move(output),
                             .log_sum_exp = std::move(log_sum_exp),
                             .is_causal = is_causal,
                             .scale = scale,
                             .enable_gqa = enable_gqa,
                             .output_mask = std::move(output_mask)});
}

// The same for every device: the arguments are checked first, and the checks
// refuse in words the devices that kernels do not run on.
void register_attention(torch::stable::detail::StableLibrary& library) {
  library.impl("forward", TORCH_BOX(&attention_forward));
  library.impl("backward", TORCH_BOX(&backward));
}

// What looks at the device itself; on CUDA there is nothing to look at.
void register_device_questions(torch::stable::detail::StableLibrary& library) {
  library.impl("call_obstacle", TORCH_BOX(&call_obstacle));
  library.impl("run_probe", TORCH_BOX(&run_named_probe));
}

}  // namespace
}  // namespace flash_attn_mps

STABLE_TORCH_LIBRARY(flash_attn_mps, library) {
  library.def(
      "forward(Tensor query, Tensor key, Tensor value, bool is_causal, float? "
      "scale, bool enable_gqa) -> (Tensor, Tensor)");
  library.def(
      "backward(Tensor grad_output, Tensor query, Tensor key, Tensor value, "
      "Tensor output, Tensor log_sum_exp, bool is_causal, float? scale, bool "
      "enable_gqa, bool[] output_mask) -> (Tensor?, Tensor?, Tensor?)");
  library.def(
      "refusals(str operator_name, int[] ranks, int[] sizes, str dtypes, str "
      "devices, float dropout_p, bool is_causal, bool enable_gqa, bool "
      "may_broadcast) -> (str, str)");
  library.def(
      "explain(int[] sizes, int key_value_heads, str dtype, bool is_causal) -> "
      "str");
  library.def(
      "kernel_sources(int[] sizes, int key_value_heads, str dtype, bool "
      "is_causal) -> str");
  library.def(
      "call_obstacle(Tensor query, int value_head_dim, bool is_causal, bool[] "
      "wanted_gradients) -> str");
  library.def(
      "run_probe(str probe, str dtype, Tensor input, int result_elements, int "
      "threads, int threads_per_threadgroup) -> Tensor");
  library.def("kernel_inventory() -> str");
  library.def("inventory_source(int line) -> str");
  library.def("compile_inventory(int line) -> int");
  library.def("parameter_route() -> str");
  library.def("pipeline_cache_info() -> (int, int, int)");
  library.def("parameter_buffer_count() -> int");
}

STABLE_TORCH_LIBRARY_IMPL(flash_attn_mps, CPU, library) {
  flash_attn_mps::register_attention(library);
  flash_attn_mps::register_device_questions(library);
}

STABLE_TORCH_LIBRARY_IMPL(flash_attn_mps, MPS, library) {
  flash_attn_mps::register_attention(library);
  flash_attn_mps::register_device_questions(library);
}

STABLE_TORCH_LIBRARY_IMPL(flash_attn_mps, CUDA, library) {
  flash_attn_mps::register_attention(library);
}

STABLE_TORCH_LIBRARY_IMPL(flash_attn_mps, CompositeExplicitAutograd, library) {
  library.impl("refusals", TORCH_BOX(&flash_attn_mps::refusals));
  library.impl("explain", TORCH_BOX(&flash_attn_mps::explain));
  library.impl("kernel_sources", TORCH_BOX(&flash_attn_mps::kernel_sources));
  library.impl("kernel_inventory",
               TORCH_BOX(&flash_attn_mps::kernel_inventory));
  library.impl("inventory_source",
               TORCH_BOX(&flash_attn_mps::inventory_source));
  library.impl("compile_inventory",
               TORCH_BOX(&flash_attn_mps::compile_inventory));
  library.impl("parameter_route", TORCH_BOX(&flash_attn_mps::parameter_route));
  library.impl("pipeline_cache_info",
               TORCH_BOX(&flash_attn_mps::cached_pipelines));
  library.impl("parameter_buffer_count",
               TORCH_BOX(&flash_attn_mps::cached_parameter_buffers));
}
