// SPDX-License-Identifier: MIT
// Finds brackets, scopes and statements in a token list: as much of C++'s
// structure as the rewriting rules need, without types or names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulator/translate/token.h"

namespace flash_attn_mps::simulator {

inline constexpr std::size_t kNoToken = static_cast<std::size_t>(-1);

enum class ScopeKind {
  kFile,
  kNamespace,
  kType,         // struct, class, union or enum
  kFunction,     // body of a function outside any other function
  kBlock,        // any braces inside a function
  kInitializer,  // braces of a value
};

struct Scope {
  ScopeKind kind = ScopeKind::kFile;
  std::string name;  // of a namespace or type
  int parent = -1;
  std::size_t open = kNoToken;  // its '{'
  std::size_t close = kNoToken;
  std::size_t header = 0;  // first token of what stands before '{'
};

// Tokens [begin, end) up to the ';' or the '{' at end.
struct Statement {
  std::size_t begin = 0;
  std::size_t end = 0;
  int scope = 0;  // that it stands in
  int body = -1;  // the scope that its '{' opens
};

struct TokenStructure {
  std::vector<std::size_t> partner;  // of each bracket; kNoToken elsewhere
  std::vector<Scope> scopes;         // [0] is the file
  std::vector<int> scope_of_token;
  std::vector<Statement> statements;
};

TokenStructure find_structure(const TokenizedText& source);

// Index after the '>' that closes the '<' at `open`; kNoToken if none does
// before a ';' or an unmatched closing bracket.
std::size_t template_list_end(const TokenizedText& source,
                              const TokenStructure& structure,
                              std::size_t open);

// "a::b::" for the namespaces and types around a scope.
std::string scope_prefix(const TokenStructure& structure, int scope);

// Innermost function body that holds the scope; -1 if none.
int enclosing_function(const TokenStructure& structure, int scope);

// Ranges [begin, end) between top-level commas of [begin, end).
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};
std::vector<TokenRange> split_at_commas(const TokenizedText& source,
                                        const TokenStructure& structure,
                                        TokenRange range);

}  // namespace flash_attn_mps::simulator
