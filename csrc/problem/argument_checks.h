// SPDX-License-Identifier: MIT
// The one place that decides whether a call can be answered. It looks at plain
// numbers and names, allocates no tensor, and returns sentences; who raises
// them, and as what, is the caller's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flash_attn_mps {

// What the checks know of a tensor. Names are torch's: "float32", "mps:0".
struct TensorArgument {
  std::vector<int64_t> sizes;
  std::string element_type;
  std::string device;

  bool operator==(const TensorArgument&) const = default;
};

// What the backward pass is given besides query, key and value.
struct BackwardArguments {
  TensorArgument grad_output;
  TensorArgument output;
  TensorArgument log_sum_exp;

  bool operator==(const BackwardArguments&) const = default;
};

struct AttentionArguments {
  // Prefix of every sentence, for example "flash_attn_mps::forward".
  std::string operator_name;
  TensorArgument query;
  TensorArgument key;
  TensorArgument value;
  std::optional<TensorArgument> mask;
  std::optional<BackwardArguments> backward;
  double dropout_probability = 0.0;
  bool is_causal = false;
  bool enable_gqa = false;
  // Whether leading dimensions may broadcast. The operators want them equal;
  // the Python function expands before it calls them.
  bool may_broadcast = false;

  bool operator==(const AttentionArguments&) const = default;
};

enum class ErrorClass { kNone, kRuntimeError, kNotImplementedError };

// "", "RuntimeError" or "NotImplementedError".
std::string error_class_name(ErrorClass error_class);

// Where kernels run: on an Apple GPU, or on the simulated one, whose memory is
// the host's.
enum class Platform { kMetal, kSimulator };

// The platform this library was built for.
Platform host_platform();

struct Refusals {
  // kRuntimeError if any sentence is one; kNotImplementedError if all are
  // about features that are not there yet; kNone without sentences.
  ErrorClass error_class = ErrorClass::kNone;
  // In a fixed order; each starts with the operator's name.
  std::vector<std::string> sentences;

  // All sentences, one a line.
  std::string text() const;

  bool operator==(const Refusals&) const = default;
};

// Every reason why the call cannot be answered; none if it can.
Refusals check_arguments(const AttentionArguments& arguments,
                         Platform platform);

}  // namespace flash_attn_mps
