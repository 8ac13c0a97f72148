// SPDX-License-Identifier: MIT
// <metal_logging>: messages are accepted and dropped, as on a device whose log
// is not enabled.
#pragma once

#include "type_traits.h"

namespace metal {

enum class log_type { debug, info, error, fault };

struct os_log {
  constexpr os_log(const constant char*, const constant char*) constant {}
  constexpr os_log(const constant char*, const constant char*) {}

  template <typename... Values>
  void log(Values...) const {}
  template <typename... Values>
  void log(Values...) const constant {}
  template <typename... Values>
  void log_debug(Values...) const constant {}
  template <typename... Values>
  void log_info(Values...) const constant {}
  template <typename... Values>
  void log_error(Values...) const constant {}
  template <typename... Values>
  void log_fault(Values...) const constant {}
};

}  // namespace metal
