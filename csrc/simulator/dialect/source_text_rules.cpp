// SPDX-License-Identifier: MIT
// Headers are found by the line markers of the preprocessor, so that an
// include that a condition leaves out is not judged.
#include "simulator/dialect/source_text_rules.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace flash_attn_mps::simulator {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80;
  });
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// `# line "file" flag`: flag 1 enters a file, 2 comes back to it.
struct LineMarker {
  int line = 0;
  std::string file;
  char flag = ' ';
};

bool read_marker(const Token& token, LineMarker& marker) {
  std::string_view text = token.text;
  const std::size_t digits = text.find_first_not_of("# ");
  const std::size_t open = text.find('"');
  const std::size_t close = text.rfind('"');
  if (token.kind != TokenKind::kDirective || digits == text.npos ||
      open == text.npos || close == open ||
      std::from_chars(text.data() + digits, text.data() + open, marker.line)
              .ec != std::errc()) {
    return false;
  }
  marker.file = string_literal_value(text.substr(open, close + 1 - open));
  const std::size_t flag = text.find_first_not_of(' ', close + 1);
  marker.flag = flag == text.npos ? ' ' : text[flag];
  return true;
}

}  // namespace

Findings check_ascii(const TokenizedText& source, bool in_comments) {
  Findings findings;
  for (const Token& token : source.tokens) {
    const bool is_bad =
        !is_ascii(token.text) || (in_comments && !is_ascii(token.spacing));
    if (is_bad && (findings.empty() || findings.back().line != token.line)) {
      findings.push_back({source.file_of(token),
                          token.line,
                          "ascii",
                          "a character outside ASCII in or before this line; "
                          "write Metal text in ASCII"});
    }
  }
  return findings;
}

Findings check_quoted_includes(
    const TokenizedText& preprocessed,
    const std::function<bool(const std::string&)>& is_own_file) {
  Findings findings;
  std::vector<std::string> open;
  for (const Token& token : preprocessed.tokens) {
    LineMarker marker;
    if (!read_marker(token, marker)) {
      continue;
    }
    if (marker.flag == '1') {
      open.push_back(marker.file);
    }
    if (marker.flag != '2' || open.empty()) {
      continue;
    }
    const std::string entered = open.back();
    open.pop_back();
    if (is_own_file(entered) && is_own_file(marker.file)) {
      findings.push_back({marker.file,
                          marker.line - 1,
                          "include",
                          "include of " + std::string(base_name(entered)) +
                              " in a text compiled at run time, where no "
                              "folder is searched; put the file's text in its "
                              "place"});
    }
  }
  return findings;
}

}  // namespace flash_attn_mps::simulator
