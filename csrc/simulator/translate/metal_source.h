// SPDX-License-Identifier: MIT
// One preprocessed Metal text while it is translated: tokens, structure,
// attributes and the edits made so far. Rewriting rules read and extend it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/translate/token.h"
#include "simulator/translate/token_edits.h"
#include "simulator/translate/token_structure.h"

namespace flash_attn_mps::simulator {

// One attribute of a `[[...]]` list.
struct Attribute {
  std::string name;      // last component: `metal::buffer` is "buffer"
  TokenRange arguments;  // between its parentheses; empty without
};

struct AttributeList {
  TokenRange tokens;  // brackets included
  std::vector<Attribute> attributes;
};

class MetalSource {
 public:
  MetalSource(std::string preprocessed_text, const std::string& file_name);

  const TokenizedText& text() const { return text_; }
  const TokenStructure& structure() const { return structure_; }
  const std::vector<AttributeList>& attributes() const { return attributes_; }
  TokenEdits& edits() { return edits_; }
  const TokenEdits& edits() const { return edits_; }

  const Token& token(std::size_t index) const { return text_.tokens[index]; }
  std::size_t partner(std::size_t index) const {
    return structure_.partner[index];
  }
  const Scope& scope(int index) const {
    return structure_.scopes[static_cast<std::size_t>(index)];
  }
  const std::string& file_of(std::size_t index) const {
    return text_.file_of(token(index));
  }

  // Attributes written inside the range, in order.
  std::vector<Attribute> attributes_in(TokenRange range) const;
  // Whether the token is part of a `[[...]]` list.
  bool is_in_attribute(std::size_t index) const;
  // Text of the tokens as the author wrote them, whatever was edited.
  std::string original_text(TokenRange range) const;
  // First top-level token with this text; kNoToken if there is none.
  std::size_t find(TokenRange range, std::string_view text) const;
  bool contains(TokenRange range, std::string_view text) const;
  // Index after "template <...>" at `begin`, or begin.
  std::size_t after_template_header(std::size_t begin) const;
  // Index after a bracket group or template list that opens at `index`.
  std::size_t after_group(std::size_t index) const;

  // "file:line" of a token.
  std::string place(std::size_t token) const;
  // Throws CompileError: "file:line: sentence".
  [[noreturn]] void refuse(std::size_t token,
                           const std::string& sentence) const;

 private:
  void find_attributes();
  AttributeList read_attribute_list(std::size_t open) const;
  Attribute read_attribute(TokenRange part) const;

  TokenizedText text_;
  TokenStructure structure_;
  std::vector<AttributeList> attributes_;
  std::vector<bool> is_in_attribute_;
  TokenEdits edits_;
};

// Rule: attribute lists are removed; they stay recorded.
void remove_attributes(MetalSource& source);

}  // namespace flash_attn_mps::simulator
