// SPDX-License-Identifier: MIT
// Reads "file:line:column: error: message" and "file:line: sentence".
#include "simulator/dialect/compiler_messages.h"

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

namespace flash_attn_mps::simulator {
namespace {

constexpr const char* kBfloatRule = "bfloat-conversion";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Takes ":12" from the front of the text.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  if (!text.starts_with(':')) {
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 1, end, value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

// The rules under which some of clang's messages are known here.
Finding classified(Finding finding) {
  if (contains(finding.sentence, "file not found")) {
    finding.rule = "include";
    finding.sentence +=
        "; it is none of Apple's Metal headers, and in no folder named with -I";
  } else if (contains(finding.sentence, "contextually convertible to 'bool'")) {
    finding.rule = "vector-condition";
    finding.sentence =
        "the condition is a vector; use select(b, a, condition), any() or "
        "all()";
  } else if (contains(finding.sentence, "no viable conversion") &&
             contains(finding.sentence, "bfloat")) {
    finding.rule = kBfloatRule;
  }
  return finding;
}

// A note says why no candidate fits; that it is a bfloat's fault only it says.
void read_note(std::string_view line, Findings& findings) {
  if (findings.empty() || findings.back().rule != kCompilerRule ||
      !contains(line, "no known conversion") || !contains(line, "bfloat") ||
      !findings.back().sentence.starts_with("no ")) {
    return;
  }
  findings.back().rule = kBfloatRule;
  findings.back().sentence += "; write bfloat(x)";
}

// A path may hold colons: the number is looked for from the left, each colon
// in turn.
std::optional<Finding> read_message(std::string_view line) {
  for (std::size_t colon = line.find(':'); colon != line.npos;
       colon = line.find(':', colon + 1)) {
    std::string_view rest = line.substr(colon);
    const std::optional<int> number = take_number(rest);
    if (!number) {
      continue;
    }
    take_number(rest);
    const bool is_error =
        rest.starts_with(": error: ") || rest.starts_with(": fatal error: ");
    const std::size_t begin = rest.find(is_error ? "error: " : ": ");
    if (begin == rest.npos || rest.starts_with(": note: ") ||
        rest.starts_with(": warning: ")) {
      return std::nullopt;
    }
    const std::string_view sentence = rest.substr(begin + (is_error ? 7 : 2));
    return classified({std::string(line.substr(0, colon)),
                       *number,
                       kCompilerRule,
                       std::string(sentence)});
  }
  return std::nullopt;
}

}  // namespace

Findings read_compiler_messages(const std::string& text,
                                const std::string& file_name) {
  Findings findings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_quotation = line.starts_with(' ');
    if (const auto finding = read_message(line); finding && !is_quotation) {
      findings.push_back(*finding);
    } else if (contains(line, ": note: ")) {
      read_note(line, findings);
    }
  }
  if (findings.empty()) {
    findings.push_back({file_name, 1, kCompilerRule, text});
  }
  return findings;
}

}  // namespace flash_attn_mps::simulator
