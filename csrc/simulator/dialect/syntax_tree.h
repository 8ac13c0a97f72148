// SPDX-License-Identifier: MIT
// Clang's syntax tree, read from the text that `-Xclang -ast-dump` prints. Only
// what the dialect rules ask for is taken out of it: kind, place, name, types
// and references. The text dump is a tenth of the JSON one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flash_attn_mps::simulator {

struct SyntaxNode {
  std::string_view kind;     // "VarDecl"
  std::string_view address;  // identity of a declaration
  std::string_view detail;   // what follows the place
  std::size_t parent = 0;    // index of the node around this one; 0: the root
  std::size_t end = 0;       // one past the last node inside this one
  int depth = 0;
  int file = 0;  // index into SyntaxTree::files; 0: no file
  int line = 0;
};

struct SyntaxTree {
  std::string text;
  std::vector<std::string> files;
  std::vector<SyntaxNode> nodes;  // the first is the translation unit

  const std::string& file_of(const SyntaxNode& node) const {
    return files[static_cast<std::size_t>(node.file)];
  }
};

SyntaxTree read_syntax_tree(std::string dump);

// Name of a declaration; empty for what has none.
std::string_view declared_name(const SyntaxNode& node);

// First quoted type of a node as written, and with all aliases resolved.
std::string_view written_type(const SyntaxNode& node);
std::string_view canonical_type(const SyntaxNode& node);

// Whether `word` stands alone in the detail, outside of quotes.
bool has_flag(const SyntaxNode& node, std::string_view word);

// Address behind `Function `, `CXXMethod ` or `prev `; empty if there is none.
std::string_view address_behind(const SyntaxNode& node, std::string_view word);

}  // namespace flash_attn_mps::simulator
