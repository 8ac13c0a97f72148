// SPDX-License-Identifier: MIT
// The value of an integer expression as it stands in [[buffer(...)]] and its
// kin: literals, arithmetic, casts, enumerators and integer constants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "simulator/translate/metal_source.h"

namespace flash_attn_mps::simulator {

class IntegerConstants {
 public:
  // Reads the enumerators and constants that the text declares.
  explicit IntegerConstants(const MetalSource& source);

  // Nothing where the range holds more than such an expression.
  std::optional<std::int64_t> evaluate(TokenRange range) const;

 private:
  friend class ExpressionReader;

  void read_enumerators(const Scope& scope);
  void read_constant(const Statement& statement);

  const MetalSource& source_;
  std::map<std::string, std::int64_t, std::less<>> values_;
};

}  // namespace flash_attn_mps::simulator
