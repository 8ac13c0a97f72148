// SPDX-License-Identifier: MIT
// The members `v.zyx` of vectors. What an element is, vector.h knows.
//
// Note [Swizzles of the kernel]
// A swizzle is a property: reading calls a getter, so `auto` deduces a vector.
// The front end defines METAL_HOST_SWIZZLES as the list of those that the text
// mentions, since all 680 would cost more compile time than a kernel.
#pragma once

#include "type_traits.h"

#ifndef METAL_HOST_SWIZZLES
#define METAL_HOST_SWIZZLES
#endif

namespace metal {

// `v.xy += w`: a compound assignment to a property fails in templates.
#define METAL_HOST_SWIZZLE_ASSIGNMENT(OP)                        \
  METAL_HOST_INLINE void operator OP## = (Swizzle other) const { \
    vector->template put_swizzle<kIndices...>(                   \
        vector->template swizzle<kIndices...>() OP other);       \
  }
template <typename Pointer, typename Swizzle, int... kIndices>
struct swizzle_reference {
  Pointer vector;

  METAL_HOST_SWIZZLE_ASSIGNMENT(+)
  METAL_HOST_SWIZZLE_ASSIGNMENT(-)
  METAL_HOST_SWIZZLE_ASSIGNMENT(*)
  METAL_HOST_SWIZZLE_ASSIGNMENT(/)
  METAL_HOST_SWIZZLE_ASSIGNMENT(%)
  METAL_HOST_SWIZZLE_ASSIGNMENT(&)
  METAL_HOST_SWIZZLE_ASSIGNMENT(|)
  METAL_HOST_SWIZZLE_ASSIGNMENT(^)
  METAL_HOST_SWIZZLE_ASSIGNMENT(<<)
  METAL_HOST_SWIZZLE_ASSIGNMENT(>>)
};

#define METAL_HOST_SWIZZLE(NAME, COUNT, ...)                                \
  METAL_HOST_INLINE constexpr vec<T, COUNT> get_##NAME() const thread {     \
    return this->template swizzle<__VA_ARGS__>();                           \
  }                                                                         \
  METAL_HOST_INLINE constexpr vec<T, COUNT> get_##NAME() const {            \
    return this->template swizzle<__VA_ARGS__>();                           \
  }                                                                         \
  METAL_HOST_INLINE constexpr vec<T, COUNT> get_##NAME() const constant {   \
    return this->template swizzle<__VA_ARGS__>();                           \
  }                                                                         \
  METAL_HOST_INLINE void put_##NAME(vec<T, COUNT> value) thread& {          \
    this->template put_swizzle<__VA_ARGS__>(value);                         \
  }                                                                         \
  METAL_HOST_INLINE void put_##NAME(vec<T, COUNT> value) & {                \
    this->template put_swizzle<__VA_ARGS__>(value);                         \
  }                                                                         \
  METAL_HOST_INLINE auto ref_##NAME() thread {                              \
    return swizzle_reference<thread own_type*, vec<T, COUNT>, __VA_ARGS__>{ \
        this};                                                              \
  }                                                                         \
  METAL_HOST_INLINE auto ref_##NAME() device {                              \
    return swizzle_reference<device own_type*, vec<T, COUNT>, __VA_ARGS__>{ \
        this};                                                              \
  }                                                                         \
  METAL_HOST_INLINE auto ref_##NAME() threadgroup {                         \
    return swizzle_reference<threadgroup own_type*,                         \
                             vec<T, COUNT>,                                 \
                             __VA_ARGS__>{this};                            \
  }                                                                         \
  __declspec(property(get = get_##NAME, put = put_##NAME)) vec<T, COUNT> NAME;

}  // namespace metal
