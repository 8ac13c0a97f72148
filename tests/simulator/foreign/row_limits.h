// SPDX-License-Identifier: MIT
// Found through an include path: the least value of a type, as a variable
// template of a struct, and the macro that names an instance.
#pragma once

template <typename T>
struct RowLimits {
  static constexpr constant T least = metal::numeric_limits<T>::lowest();
};
template <>
struct RowLimits<bool> {
  static constexpr constant bool least = false;
};

#define instantiate_row_kernel(name, function, ...)                       \
  template [[host_name(name)]] [[kernel]] decltype(function<__VA_ARGS__>) \
      function<__VA_ARGS__>;
