// SPDX-License-Identifier: MIT
// The operators of vec, as macros for its body. Integers are divided element by
// element: only a division of two scalars is checked for a divisor of zero.
#pragma once

#include "type_traits.h"

namespace metal {

template <typename Element, typename Data, typename Indices>
struct lane_division;
template <typename Element, typename Data, size_t... kIndex>
struct lane_division<Element, Data, index_sequence<kIndex...>> {
  METAL_HOST_INLINE static constexpr Data quotient(Data a, Data b) {
    return Data{static_cast<Element>(a[kIndex] / b[kIndex])...};
  }
  METAL_HOST_INLINE static constexpr Data remainder(Data a, Data b) {
    return Data{static_cast<Element>(a[kIndex] % b[kIndex])...};
  }
};

}  // namespace metal

// EXPRESSION gives the elements of `left OP right`.
#define METAL_HOST_OPERATOR(OP, EXPRESSION)                          \
  METAL_HOST_INLINE friend constexpr vec operator OP(vec a, vec b) { \
    const data_type left = a.data;                                   \
    const data_type right = b.data;                                  \
    return vec(from_data{}, EXPRESSION);                             \
  }                                                                  \
  METAL_HOST_INLINE thread vec& operator OP## = (vec other)thread& { \
    const data_type left = data;                                     \
    const data_type right = other.data;                              \
    data = EXPRESSION;                                               \
    return *this;                                                    \
  }                                                                  \
  METAL_HOST_INLINE vec& operator OP## = (vec other) & {             \
    const data_type left = data;                                     \
    const data_type right = other.data;                              \
    data = EXPRESSION;                                               \
    return *this;                                                    \
  }

#define METAL_HOST_ARITHMETIC(OP) \
  METAL_HOST_OPERATOR(OP, rounded(values(left) OP values(right)))

#define METAL_HOST_DIVISION(OP, NAME)                                         \
  METAL_HOST_INLINE static constexpr data_type NAME(data_type a,              \
                                                    data_type b) {            \
    if constexpr (is_integral_v<T>) {                                         \
      return lane_division<element, data_type, make_index_sequence<kLanes>>:: \
          NAME(a, b);                                                         \
    } else {                                                                  \
      return rounded(values(a) OP values(b));                                 \
    }                                                                         \
  }                                                                           \
  METAL_HOST_OPERATOR(OP, vec::NAME(left, right))

#define METAL_HOST_COMPARISON(OP)                                           \
  METAL_HOST_INLINE friend constexpr vec<bool, kLanes> operator OP(vec a,   \
                                                                   vec b) { \
    return vec<bool, kLanes>::from_mask(values(a.data) OP values(b.data));  \
  }
