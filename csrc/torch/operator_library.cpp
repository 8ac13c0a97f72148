// SPDX-License-Identifier: MIT
// Schemas of the operators and their registration. No operator has
// keyword-only arguments: torch.library's autocast rules refuse them.
#include <torch/csrc/stable/library.h>

#include "torch/attention_operators.h"
#include "torch/introspection.h"

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
  library.def("kernel_family_sources() -> str");
  library.def("pipeline_cache_info() -> (int, int, int)");
  library.def("parameter_buffer_count() -> int");
}

STABLE_TORCH_LIBRARY_IMPL(flash_attn_mps, CPU, library) {
  flash_attn_mps::register_attention(library);
}

STABLE_TORCH_LIBRARY_IMPL(flash_attn_mps, MPS, library) {
  flash_attn_mps::register_attention(library);
}

STABLE_TORCH_LIBRARY_IMPL(flash_attn_mps, CUDA, library) {
  flash_attn_mps::register_attention(library);
}

STABLE_TORCH_LIBRARY_IMPL(flash_attn_mps, CompositeExplicitAutograd, library) {
  library.impl("refusals", TORCH_BOX(&flash_attn_mps::refusals));
  library.impl("explain", TORCH_BOX(&flash_attn_mps::explain));
  library.impl("kernel_sources", TORCH_BOX(&flash_attn_mps::kernel_sources));
  library.impl("kernel_family_sources",
               TORCH_BOX(&flash_attn_mps::kernel_family_sources));
  library.impl("pipeline_cache_info",
               TORCH_BOX(&flash_attn_mps::cached_pipelines));
  library.impl("parameter_buffer_count",
               TORCH_BOX(&flash_attn_mps::cached_parameter_buffers));
}
