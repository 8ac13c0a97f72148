// SPDX-License-Identifier: MIT
// The vocabulary rule: a text may use C++'s own words, what it declares itself
// and the names of Metal that are known to exist. A name that nobody has been
// seen to use deserves suspicion.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulator/dialect/finding.h"
#include "simulator/translate/token.h"

namespace flash_attn_mps::simulator {

// Entries are names or qualified names as the table writes them
// ("simd_sum", "metal::precise::exp", "numeric_limits<T>::infinity").
class Vocabulary {
 public:
  explicit Vocabulary(const std::vector<std::string>& entries);

  bool has_name(const std::string& name) const;
  // `qualified` without metal::, for example "fast::exp2".
  bool has_qualified(const std::string& qualified) const;
  // Whether the names in `scope` ("fast", "precise", ...) are listed one by
  // one, so that a known name in it may still be unknown there.
  bool lists_scope(const std::string& scope) const;

 private:
  void add(const std::vector<std::string>& path);

  std::set<std::string> names_;
  std::set<std::string> qualified_;
  std::set<std::string> scopes_;
};

// `source` is the file as written, not preprocessed; `declared` are the names
// that the text declares itself.
Findings check_vocabulary(const TokenizedText& source,
                          const std::set<std::string>& declared,
                          const Vocabulary& vocabulary);

}  // namespace flash_attn_mps::simulator
