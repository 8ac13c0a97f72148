// SPDX-License-Identifier: MIT
// metal::array, metal::uniform and what C++ itself asks for.
#pragma once

#include "type_traits.h"

namespace metal {

// An aggregate, in any address space.
template <typename T, size_t kCount>
struct array {
  T elements[kCount == 0 ? 1 : kCount];

  using value_type = T;
  static constexpr size_t size() { return kCount; }
  static constexpr size_t max_size() { return kCount; }
  static constexpr bool empty() { return kCount == 0; }

  constexpr thread T& operator[](size_t i) thread { return elements[i]; }
  constexpr device T& operator[](size_t i) device { return elements[i]; }
  constexpr threadgroup T& operator[](size_t i) threadgroup {
    return elements[i];
  }
  constexpr const thread T& operator[](size_t i) const thread {
    return elements[i];
  }
  constexpr const device T& operator[](size_t i) const device {
    return elements[i];
  }
  constexpr const threadgroup T& operator[](size_t i) const threadgroup {
    return elements[i];
  }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
  constexpr const constant T& operator[](size_t i) const constant {
    return elements[i];
  }

  constexpr thread T* data() thread { return elements; }
  constexpr device T* data() device { return elements; }
  constexpr threadgroup T* data() threadgroup { return elements; }
  constexpr const thread T* data() const thread { return elements; }
  constexpr const device T* data() const device { return elements; }
  constexpr const constant T* data() const constant { return elements; }
  constexpr thread T* begin() thread { return elements; }
  constexpr thread T* end() thread { return elements + kCount; }
  constexpr const thread T* begin() const thread { return elements; }
  constexpr const thread T* end() const thread { return elements + kCount; }
  constexpr device T* begin() device { return elements; }
  constexpr device T* end() device { return elements + kCount; }
  constexpr const constant T* begin() const constant { return elements; }
  constexpr const constant T* end() const constant { return elements + kCount; }
  constexpr T front() const { return elements[0]; }
  constexpr T back() const { return elements[kCount - 1]; }

  array() = default;
  constexpr array(const array&) = default;
  array(const constant array&) = default;
  array& operator=(const array&) = default;
  array& operator=(const constant array&) = default;
};

// A promise to the optimiser that a value is the same in all threads.
template <typename T>
using uniform = T;
template <typename T>
METAL_HOST_INLINE constexpr T make_uniform(T value) {
  return value;
}

}  // namespace metal
