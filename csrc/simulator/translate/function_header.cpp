// SPDX-License-Identifier: MIT
// Reads function headers token by token.
#include "simulator/translate/function_header.h"

namespace flash_attn_mps::simulator {
namespace {

class HeaderReader {
 public:
  HeaderReader(const MetalSource& source, TokenRange range)
      : source_(source), range_(range) {}

  std::optional<FunctionHeader> read() {
    header_.begin = source_.after_template_header(range_.begin);
    std::size_t i = header_.begin;
    while (i < range_.end && !header_.has_parameters) {
      i = step(i);
    }
    return header_.name_end == kNoToken ? std::nullopt : std::optional(header_);
  }

 private:
  std::size_t step(std::size_t i) {
    const Token& token = source_.token(i);
    if (source_.is_in_attribute(i)) {
      return i + 1;
    }
    if (token.is("operator")) {
      return read_operator(i);
    }
    if (takes_group(token)) {
      return source_.after_group(i + 1);
    }
    if (token.is("(")) {
      header_.parameters = {i + 1, source_.partner(i)};
      header_.has_parameters = source_.partner(i) != kNoToken;
      return header_.has_parameters ? i : range_.end;
    }
    if (token.is("<") && header_.name_end == i) {
      const std::size_t after = source_.after_group(i);
      header_.template_arguments = {i + 1, after - 1};
      return after;
    }
    return read_word(i);
  }

  // Words whose parentheses are no parameter list.
  static bool takes_group(const Token& token) {
    return token.is("decltype") || token.is("__attribute__") ||
           token.is("alignas");
  }

  std::size_t read_operator(std::size_t i) {
    header_.name_begin = i++;
    if (i < range_.end && source_.token(i).is("(")) {
      i = source_.after_group(i);
    }
    while (i < range_.end && !source_.token(i).is("(")) {
      ++i;
    }
    header_.name_end = i;
    header_.template_arguments = {};
    return i;
  }

  // `a::b` is one name, and so is the `::a::b` of `void ::a::b`; any later
  // identifier starts a new one.
  std::size_t read_word(std::size_t i) {
    if (source_.token(i).is_identifier()) {
      const bool is_qualified =
          header_.name_end == i - 1 && source_.token(i - 1).is("::");
      if (is_qualified && source_.token(i - 2).is("void")) {
        header_.name_begin = i - 1;
      } else if (!is_qualified) {
        header_.name_begin = i;
      }
      header_.name_end = i + 1;
      header_.template_arguments = {};
    }
    return i + 1;
  }

  const MetalSource& source_;
  TokenRange range_;
  FunctionHeader header_;
};

// The name of one template parameter; empty if it has none.
std::string parameter_name(const MetalSource& source, TokenRange part) {
  const std::size_t equals = source.find(part, "=");
  const std::size_t end = equals == kNoToken ? part.end : equals;
  if (end < part.begin + 2 || !source.token(end - 1).is_identifier()) {
    return "";
  }
  const Token& before = source.token(end - 2);
  const bool is_name = before.is_identifier() || before.is("...") ||
                       before.is(">") || before.is("*");
  if (!is_name) {
    return "";
  }
  return std::string(source.token(end - 1).text) +
         (before.is("...") ? "..." : "");
}

}  // namespace

std::optional<FunctionHeader> read_function_header(const MetalSource& source,
                                                   TokenRange range) {
  return HeaderReader(source, range).read();
}

std::vector<std::string> template_parameter_names(const MetalSource& source,
                                                  std::size_t template_token) {
  std::vector<std::string> names;
  const std::size_t open = template_token + 1;
  if (!source.token(template_token).is("template") ||
      !source.token(open).is("<")) {
    return names;
  }
  const std::size_t after = source.after_group(open);
  for (const TokenRange& part : split_at_commas(
           source.text(), source.structure(), {open + 1, after - 1})) {
    const std::string name = parameter_name(source, part);
    if (name.empty()) {
      break;
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace flash_attn_mps::simulator
