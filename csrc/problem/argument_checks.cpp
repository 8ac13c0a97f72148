// SPDX-License-Identifier: MIT
// The requirements on the arguments, one small function each. The order of the
// calls in check_arguments is the order of the sentences.
#include "problem/argument_checks.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "problem/attention_problem.h"
#include "problem/leading_dimensions.h"

namespace flash_attn_mps {
namespace {

using Sizes = std::vector<int64_t>;

constexpr std::array<std::string_view, 3> kElementTypes{
    "float32",
    "float16",
    "bfloat16",
};

// Collects sentences and the class of their union.
class RefusalList {
 public:
  explicit RefusalList(std::string operator_name)
      : operator_name_(std::move(operator_name)) {}

  void add(ErrorClass error_class,
           std::string_view required,
           std::string_view given,
           std::string_view advice) {
    std::string sentence = operator_name_ + ": ";
    sentence.append(required).append("; got ").append(given).append(".");
    if (!advice.empty()) {
      sentence.append(" ").append(advice);
    }
    refusals_.sentences.push_back(std::move(sentence));
    if (refusals_.error_class != ErrorClass::kRuntimeError) {
      refusals_.error_class = error_class;
    }
  }

  Refusals take() { return std::move(refusals_); }

 private:
  std::string operator_name_;
  Refusals refusals_;
};

// "a", "a and b", "a, b and c".
std::string enumerate(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) {
      text += i + 1 == words.size() ? " and " : ", ";
    }
    text += words[i];
  }
  return text;
}

std::string shape_text(const Sizes& sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(sizes[i]);
  }
  return text + "]";
}

std::vector<const TensorArgument*> inputs(const AttentionArguments& arguments) {
  return {&arguments.query, &arguments.key, &arguments.value};
}

// Words without repetition, in the order of their first appearance.
std::vector<std::string> distinct(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (const std::string& word : words) {
    if (std::find(kept.begin(), kept.end(), word) == kept.end()) {
      kept.push_back(word);
    }
  }
  return kept;
}

std::vector<std::string> element_types(const AttentionArguments& arguments) {
  std::vector<std::string> names;
  for (const TensorArgument* input : inputs(arguments)) {
    names.push_back(input->element_type);
  }
  return names;
}

std::vector<std::string> devices(const AttentionArguments& arguments) {
  std::vector<std::string> names;
  for (const TensorArgument* input : inputs(arguments)) {
    names.push_back(input->device);
  }
  return names;
}

// Size of a dimension counted from the end: 1 is the last.
int64_t size_from_end(const TensorArgument& tensor, std::size_t position) {
  return tensor.sizes[tensor.sizes.size() - position];
}

Sizes leading_sizes(const TensorArgument& tensor, std::size_t trailing) {
  const std::size_t rank = tensor.sizes.size();
  const std::size_t kept = rank > trailing ? rank - trailing : 0;
  return {tensor.sizes.begin(),
          tensor.sizes.begin() + static_cast<std::ptrdiff_t>(kept)};
}

// [..., length] and [..., head_dim] exist, so that sizes can be compared.
bool ranks_suffice(const AttentionArguments& arguments) {
  const auto has_rank = [](const TensorArgument* input) {
    return input->sizes.size() >= 2;
  };
  const auto tensors = inputs(arguments);
  return std::all_of(tensors.begin(), tensors.end(), has_rank);
}

void check_ranks(const AttentionArguments& arguments, RefusalList& refusals) {
  if (ranks_suffice(arguments)) {
    return;
  }
  std::vector<std::string> ranks;
  for (const TensorArgument* input : inputs(arguments)) {
    ranks.push_back(std::to_string(input->sizes.size()));
  }
  refusals.add(ErrorClass::kRuntimeError,
               "query, key and value must have rank >= 2, [..., length, "
               "head_dim]",
               "ranks " + enumerate(ranks),
               "");
}

void check_element_types(const AttentionArguments& arguments,
                         RefusalList& refusals) {
  const std::vector<std::string> given = element_types(arguments);
  if (distinct(given).size() > 1) {
    refusals.add(ErrorClass::kRuntimeError,
                 "query, key and value must have the same dtype",
                 enumerate(given),
                 "Convert them to one dtype with tensor.to().");
  }
  std::vector<std::string> unsupported;
  for (const std::string& name : distinct(given)) {
    if (std::find(kElementTypes.begin(), kElementTypes.end(), name) ==
        kElementTypes.end()) {
      unsupported.push_back(name);
    }
  }
  if (!unsupported.empty()) {
    refusals.add(ErrorClass::kNotImplementedError,
                 "the dtype of query, key and value must be float32, float16 "
                 "or bfloat16",
                 enumerate(unsupported),
                 "Convert them, for example with tensor.float().");
  }
}

// "mps:0" -> "mps".
std::string device_kind(const std::string& device) {
  return device.substr(0, device.find(':'));
}

// Fake tensors may stand for an MPS tensor anywhere; tensors on "meta" hold no
// data, so every platform can answer them.
bool device_is_supported(const std::string& device, Platform platform) {
  const std::string kind = device_kind(device);
  return kind == "mps" || kind == "meta" ||
         (kind == "cpu" && platform == Platform::kSimulator);
}

void check_devices(const AttentionArguments& arguments,
                   Platform platform,
                   RefusalList& refusals) {
  const std::vector<std::string> given = devices(arguments);
  if (distinct(given).size() > 1) {
    refusals.add(ErrorClass::kRuntimeError,
                 "query, key and value must be on one device",
                 enumerate(given),
                 "Move them to one device with tensor.to().");
  }
  std::vector<std::string> unsupported;
  for (const std::string& name : distinct(given)) {
    if (!device_is_supported(name, platform)) {
      unsupported.push_back(name);
    }
  }
  if (unsupported.empty()) {
    return;
  }
  const bool is_metal = platform == Platform::kMetal;
  refusals.add(ErrorClass::kNotImplementedError,
               is_metal ? "query, key and value must be on an MPS device"
                        : "query, key and value must be on the CPU, where the "
                          "simulated Apple GPU computes",
               enumerate(unsupported),
               is_metal ? "Move them with tensor.to(\"mps\")."
                        : "Move them with tensor.to(\"cpu\").");
}

void check_mask_and_dropout(const AttentionArguments& arguments,
                            RefusalList& refusals) {
  if (arguments.mask) {
    const std::string given =
        "attn_mask of shape " + shape_text(arguments.mask->sizes);
    if (arguments.is_causal) {
      refusals.add(ErrorClass::kRuntimeError,
                   "Explicit attn_mask should not be set when is_causal=True",
                   given + " with is_causal=True",
                   "Pass one of them.");
    }
    refusals.add(ErrorClass::kNotImplementedError,
                 "attn_mask must be None, explicit masks are not supported yet",
                 given,
                 "For a causal mask pass is_causal=True.");
  }
  const double dropout = arguments.dropout_probability;
  std::ostringstream given;
  given << dropout;
  if (!(dropout >= 0.0 && dropout <= 1.0)) {
    refusals.add(ErrorClass::kRuntimeError,
                 "dropout_p must be in [0, 1]",
                 given.str(),
                 "");
  } else if (dropout > 0.0) {
    refusals.add(ErrorClass::kNotImplementedError,
                 "dropout_p must be 0, dropout is not supported yet",
                 given.str(),
                 "");
  }
}

std::string shapes_text(const AttentionArguments& arguments) {
  std::vector<std::string> shapes;
  for (const TensorArgument* input : inputs(arguments)) {
    shapes.push_back(shape_text(input->sizes));
  }
  return enumerate(shapes);
}

// True if the shapes are wrong only because heads are grouped.
bool gqa_would_help(const AttentionArguments& arguments) {
  AttentionArguments grouped = arguments;
  grouped.enable_gqa = true;
  grouped.operator_name.clear();
  return arguments.query.sizes.size() >= 3 && arguments.key.sizes.size() >= 3 &&
         arguments.value.sizes.size() >= 3 &&
         check_arguments(grouped, host_platform()).sentences.empty();
}

// Leading dimensions: those in front of [length, head_dim], without the heads
// when they are grouped.
void check_leading_sizes(const AttentionArguments& arguments,
                         RefusalList& refusals) {
  const std::size_t trailing = arguments.enable_gqa ? 3 : 2;
  std::vector<Sizes> shapes;
  for (const TensorArgument* input : inputs(arguments)) {
    shapes.push_back(leading_sizes(*input, trailing));
  }
  const std::string which = arguments.enable_gqa
                                ? "the dimensions in front of [heads, length, "
                                  "head_dim]"
                                : "the dimensions in front of [length, "
                                  "head_dim]";
  if (!broadcast_shapes(shapes)) {
    const bool advise = !arguments.enable_gqa && gqa_would_help(arguments);
    refusals.add(ErrorClass::kRuntimeError,
                 which + " of query, key and value must broadcast",
                 "shapes " + shapes_text(arguments),
                 advise ? "Pass enable_gqa=True for grouped heads." : "");
  } else if (!arguments.may_broadcast &&
             (shapes[0] != shapes[1] || shapes[0] != shapes[2])) {
    refusals.add(ErrorClass::kRuntimeError,
                 which + " of query, key and value must be equal",
                 "shapes " + shapes_text(arguments),
                 "flash_attn_mps.scaled_dot_product_attention broadcasts.");
  }
}

void check_grouped_heads(const AttentionArguments& arguments,
                         RefusalList& refusals) {
  const auto tensors = inputs(arguments);
  const bool has_heads =
      std::all_of(tensors.begin(), tensors.end(), [](const auto* input) {
        return input->sizes.size() >= 3;
      });
  if (!has_heads) {
    refusals.add(ErrorClass::kRuntimeError,
                 "with enable_gqa query, key and value must have rank >= 3, "
                 "[..., heads, length, head_dim]",
                 "shapes " + shapes_text(arguments),
                 "");
    return;
  }
  const int64_t query_heads = size_from_end(arguments.query, 3);
  const int64_t key_heads = size_from_end(arguments.key, 3);
  const int64_t value_heads = size_from_end(arguments.value, 3);
  if (key_heads != value_heads) {
    refusals.add(
        ErrorClass::kRuntimeError,
        "key and value must have the same number of heads with "
        "enable_gqa",
        std::to_string(key_heads) + " and " + std::to_string(value_heads),
        "");
    return;
  }
  const bool divides =
      key_heads == 0 ? query_heads == 0 : query_heads % key_heads == 0;
  if (!divides) {
    refusals.add(ErrorClass::kRuntimeError,
                 "the number of query heads must be a multiple of the number "
                 "of key and value heads",
                 std::to_string(query_heads) + " query heads and " +
                     std::to_string(key_heads) + " key and value heads",
                 "");
  }
}

void check_lengths_and_head_dims(const AttentionArguments& arguments,
                                 RefusalList& refusals) {
  const int64_t key_length = size_from_end(arguments.key, 2);
  const int64_t value_length = size_from_end(arguments.value, 2);
  if (key_length != value_length) {
    refusals.add(
        ErrorClass::kRuntimeError,
        "key and value must have the same length",
        std::to_string(key_length) + " and " + std::to_string(value_length),
        "");
  }
  const int64_t query_dim = size_from_end(arguments.query, 1);
  const int64_t key_dim = size_from_end(arguments.key, 1);
  if (query_dim != key_dim) {
    refusals.add(ErrorClass::kRuntimeError,
                 "query and key must have the same head dimension",
                 std::to_string(query_dim) + " and " + std::to_string(key_dim),
                 "");
  }
  const std::string bound = std::to_string(kMaxHeadDim) + "]";
  const int64_t widest = std::max(query_dim, key_dim);
  if (widest > kMaxHeadDim || std::min(query_dim, key_dim) == 0) {
    refusals.add(ErrorClass::kNotImplementedError,
                 "the head dimension of query and key must be in [1, " + bound,
                 std::to_string(widest > kMaxHeadDim ? widest : 0),
                 "");
  }
  const int64_t value_dim = size_from_end(arguments.value, 1);
  if (value_dim > kMaxHeadDim) {
    refusals.add(ErrorClass::kNotImplementedError,
                 "the head dimension of value must be in [0, " + bound,
                 std::to_string(value_dim),
                 "");
  }
}

// The kernels count rows in 32 bits, and a block's end lies past the last row.
void check_length_bound(const AttentionArguments& arguments,
                        RefusalList& refusals) {
  int64_t longest = 0;
  for (const TensorArgument* input : inputs(arguments)) {
    longest = std::max(longest, size_from_end(*input, 2));
  }
  if (longest > kMaxLength) {
    refusals.add(ErrorClass::kNotImplementedError,
                 "the lengths of query, key and value must be in [0, " +
                     std::to_string(kMaxLength) + "]",
                 std::to_string(longest),
                 "");
  }
}

std::string tensor_text(const TensorArgument& tensor) {
  return shape_text(tensor.sizes) + " " + tensor.element_type + " on " +
         tensor.device;
}

void check_backward(const AttentionArguments& arguments,
                    const BackwardArguments& backward,
                    RefusalList& refusals) {
  TensorArgument output = arguments.query;
  output.sizes.back() = arguments.value.sizes.back();
  TensorArgument log_sum_exp = arguments.query;
  log_sum_exp.sizes.pop_back();
  log_sum_exp.element_type = "float32";
  const auto require = [&refusals](std::string_view name,
                                   const TensorArgument& given,
                                   const TensorArgument& wanted) {
    if (given != wanted) {
      refusals.add(ErrorClass::kRuntimeError,
                   std::string(name) + " must be " + tensor_text(wanted) +
                       ", as query and value ask for",
                   tensor_text(given),
                   "");
    }
  };
  require("grad_output", backward.grad_output, output);
  require("output", backward.output, output);
  require("log_sum_exp", backward.log_sum_exp, log_sum_exp);
}

}  // namespace

std::string error_class_name(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kNone:
      return "";
    case ErrorClass::kRuntimeError:
      return "RuntimeError";
    case ErrorClass::kNotImplementedError:
      return "NotImplementedError";
  }
  return "";
}

Platform host_platform() {
#ifdef __APPLE__
  return Platform::kMetal;
#else
  return Platform::kSimulator;
#endif
}

std::string Refusals::text() const {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += (text.empty() ? "" : "\n") + sentence;
  }
  return text;
}

Refusals check_arguments(const AttentionArguments& arguments,
                         Platform platform) {
  RefusalList refusals(arguments.operator_name);
  check_ranks(arguments, refusals);
  check_element_types(arguments, refusals);
  check_devices(arguments, platform, refusals);
  check_mask_and_dropout(arguments, refusals);
  if (ranks_suffice(arguments)) {
    check_leading_sizes(arguments, refusals);
    if (arguments.enable_gqa) {
      check_grouped_heads(arguments, refusals);
    }
    check_lengths_and_head_dims(arguments, refusals);
    check_length_bound(arguments, refusals);
    if (arguments.backward) {
      check_backward(arguments, *arguments.backward, refusals);
    }
  }
  return refusals.take();
}

}  // namespace flash_attn_mps
