// SPDX-License-Identifier: MIT
// Rewriting rules for the differences between Metal and C++ for OpenCL that
// tokens alone can settle. Each rule is one function; they are independent.
#pragma once

#include <string>

#include "simulator/translate/metal_source.h"

namespace flash_attn_mps::simulator {

// Words that OpenCL reserves and Metal does not get another name.
void rename_reserved_words(MetalSource& source);

// `1.5bf` becomes a conversion: the host's compiler has no such literal.
void rewrite_bfloat_literals(MetalSource& source);

// `#pragma unroll(N)` with an expression keeps its meaning without it.
void rewrite_unroll_pragmas(MetalSource& source);

// A member function without an address space works on `thread` objects in
// Metal, on generic ones in OpenCL: it gets `thread`. Constructors lose it:
// temporaries are created in the default space.
void qualify_member_functions(MetalSource& source);

// A temporary binds to `const thread T&` in Metal, not in OpenCL: functions
// with such parameters get overloads that take `const T&&` and pass a copy on.
void accept_temporaries(MetalSource& source);

// A struct can be copied out of `constant` memory in Metal: it gets the
// constructors and assignments that OpenCL misses, all defaulted.
void add_constant_copies(MetalSource& source);

// Swizzles that the text mentions, as the macro of vector.h; and reading one
// becomes a call, since properties do not work in every template.
std::string rewrite_swizzles(MetalSource& source);

// Throws CompileError where the text uses what the simulator has not.
void refuse_unsupported_features(const MetalSource& source);

}  // namespace flash_attn_mps::simulator
