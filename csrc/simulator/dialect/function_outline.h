// SPDX-License-Identifier: MIT
// The functions of a Metal text by their tokens: where the declaration, the
// parameters and the body of each lie, and which are kernels. It knows no types
// and does not look inside bodies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulator/translate/metal_source.h"

namespace flash_attn_mps::simulator {

struct FunctionOutline {
  std::string name;       // without the scopes around it
  std::string qualifier;  // scopes around it, "a::b::"
  bool is_kernel = false;
  bool is_template = false;
  std::size_t name_index = 0;
  TokenRange declaration;  // behind a template header, up to the name
  TokenRange parameters;   // between the parentheses
  TokenRange body;         // between the braces
};

// Functions with a body, in the order of the text. Lambdas belong to the
// function around them.
std::vector<FunctionOutline> outline_functions(const MetalSource& source);

}  // namespace flash_attn_mps::simulator
