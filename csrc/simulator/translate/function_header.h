// SPDX-License-Identifier: MIT
// Splits the tokens before a function's body into name, template arguments
// and parameters. It does not know whether they belong to a kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/translate/metal_source.h"

namespace flash_attn_mps::simulator {

struct FunctionHeader {
  std::size_t begin = kNoToken;       // first token behind template lists
  std::size_t name_begin = kNoToken;  // of `a::name` or `operator+`
  std::size_t name_end = kNoToken;
  TokenRange template_arguments;  // of `name<...>`; empty without
  TokenRange parameters;          // between the parentheses
  bool has_parameters = false;
};

// Nothing if the range names no function. Without a parameter list (the
// `decltype(f<T>) f<T>` form) the name is the last one.
std::optional<FunctionHeader> read_function_header(const MetalSource& source,
                                                   TokenRange range);

// "T, kWidth, Rest..." for "template <typename T, int kWidth, class... Rest>":
// what stands before the first parameter without a name.
std::vector<std::string> template_parameter_names(const MetalSource& source,
                                                  std::size_t template_token);

}  // namespace flash_attn_mps::simulator
