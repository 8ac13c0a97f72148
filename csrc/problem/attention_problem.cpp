// SPDX-License-Identifier: MIT
// Names and descriptions of the members of AttentionProblem; checks are in
// argument_checks.cpp.
#include "problem/attention_problem.h"

#include <sstream>

namespace flash_attn_mps {
namespace {

void describe_strides(std::ostringstream& text,
                      std::string_view name,
                      const TensorStrides& strides) {
  text << name << "_strides: " << strides.batch << ", " << strides.head << ", "
       << strides.row << "\n";
}

}  // namespace

int64_t element_size_bytes(ElementType type) {
  return type == ElementType::kFloat32 ? 4 : 2;
}

std::string_view element_type_name(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat16:
      return "float16";
    case ElementType::kBFloat16:
      return "bfloat16";
  }
  return "unknown";
}

std::optional<ElementType> element_type_from_name(std::string_view name) {
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kFloat16, ElementType::kBFloat16}) {
    if (element_type_name(type) == name) {
      return type;
    }
  }
  return std::nullopt;
}

std::string_view masking_name(Masking masking) {
  return masking == Masking::kCausal ? "causal" : "none";
}

int64_t AttentionProblem::heads_per_group() const {
  return key_value_heads > 0 ? query_heads / key_value_heads : 1;
}

std::string describe(const AttentionProblem& problem) {
  std::ostringstream text;
  text << "element_type: " << element_type_name(problem.element_type) << "\n"
       << "masking: " << masking_name(problem.masking) << "\n"
       << "batch: " << problem.batch << "\n"
       << "query_heads: " << problem.query_heads << "\n"
       << "key_value_heads: " << problem.key_value_heads << "\n"
       << "query_length: " << problem.query_length << "\n"
       << "key_length: " << problem.key_length << "\n"
       << "head_dim: " << problem.head_dim << "\n"
       << "value_head_dim: " << problem.value_head_dim << "\n"
       << "scale: " << problem.scale << "\n";
  const OperandStrides& strides = problem.strides;
  describe_strides(text, "query", strides.query);
  describe_strides(text, "key", strides.key);
  describe_strides(text, "value", strides.value);
  describe_strides(text, "output", strides.output);
  describe_strides(text, "grad_output", strides.grad_output);
  describe_strides(text, "grad_query", strides.grad_query);
  describe_strides(text, "grad_key", strides.grad_key);
  describe_strides(text, "grad_value", strides.grad_value);
  return text.str();
}

TensorStrides row_major_strides(int64_t heads,
                                int64_t length,
                                int64_t head_dim) {
  return {.batch = heads * length * head_dim,
          .head = length * head_dim,
          .row = head_dim};
}

}  // namespace flash_attn_mps
