// SPDX-License-Identifier: MIT
// Rewriting rules for the differences between Metal and C++ for OpenCL that
// tokens alone can settle. Each rule is one function; they are independent.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "simulator/translate/metal_source.h"

namespace flash_attn_mps::simulator {

// Words that OpenCL reserves and Metal does not get another name.
void rename_reserved_words(MetalSource& source);

// `coherent` and `coherent(device)` beside an address space say who sees a
// store; here every store is visible at once.
void remove_coherence(MetalSource& source);

// A floating literal without suffix is a float in Metal: it gets the suffix,
// since the compiler's option for this is lost in templates. `1.5bf` becomes a
// conversion: the compiler has no such literal.
void rewrite_floating_literals(MetalSource& source);

// `const constant T&` and `constant T&` are one type in Metal: `const` goes.
void drop_const_beside_constant(MetalSource& source);

// A `constexpr constant` variable binds to `constant T&` in Metal, and such an
// array decays to `constant T*`: outside of types it loses `constexpr`, and
// stays a constant expression.
void relax_constant_variables(MetalSource& source);

// A function as template argument, `void (*f)(...)`, becomes a reference, and
// so does an alias of such a type: to OpenCL a pointer to a function has an
// address space, which nothing matches.
void pass_functions_by_reference(MetalSource& source);

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

// Swizzles that the text mentions, as the macro of swizzle.h; and reading one
// or adding to one becomes a call, since properties do not work in every
// template.
std::string rewrite_swizzles(MetalSource& source);

// Both results of a `?:` are taken by value, so that objects in different
// address spaces meet: to OpenCL those have different types. Applied apart from
// the other rules, because it makes no lvalue.
void take_branches_by_value(MetalSource& source);

// "file:line: sentence" if the token names what the simulator has not.
std::optional<std::string> unsupported_feature(const MetalSource& source,
                                               std::size_t token);

// Throws CompileError where the text uses what the simulator has not.
void refuse_unsupported_features(const MetalSource& source);

}  // namespace flash_attn_mps::simulator
