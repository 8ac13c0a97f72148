// SPDX-License-Identifier: MIT
// A small reader of integer expressions, by precedence climbing.
#include "simulator/translate/constant_expression.h"

#include <charconv>
#include <string_view>

namespace flash_attn_mps::simulator {

class ExpressionReader {
 public:
  ExpressionReader(const IntegerConstants& constants, TokenRange range)
      : constants_(constants),
        source_(constants.source_),
        at_(range.begin),
        end_(range.end) {}

  std::optional<std::int64_t> read() {
    const auto value = binary(/*lowest=*/0);
    return at_ == end_ ? value : std::nullopt;
  }

 private:
  using Value = std::optional<std::int64_t>;

  bool is(std::string_view text) const {
    return at_ < end_ && source_.token(at_).is(text);
  }

  // A shift is two '>' tokens or one "<<".
  static int precedence(std::string_view op) {
    if (op == "*" || op == "/" || op == "%") {
      return 4;
    }
    if (op == "+" || op == "-") {
      return 3;
    }
    if (op == "<<" || op == ">") {
      return 2;
    }
    return op == "|" || op == "&" ? 1 : 0;
  }

  static Value apply(std::string_view op, std::int64_t a, std::int64_t b) {
    if ((op == "/" || op == "%") && b == 0) {
      return std::nullopt;
    }
    if (op == "*") {
      return a * b;
    }
    if (op == "/") {
      return a / b;
    }
    if (op == "%") {
      return a % b;
    }
    if (op == "+") {
      return a + b;
    }
    if (op == "-") {
      return a - b;
    }
    if (op == "|") {
      return a | b;
    }
    if (op == "&") {
      return a & b;
    }
    return op == "<<" ? a << b : a >> b;
  }

  Value binary(int lowest) {
    Value left = unary();
    while (left && at_ < end_) {
      const std::string_view op = source_.token(at_).text;
      const int here = precedence(op);
      if (here == 0 || here <= lowest) {
        break;
      }
      ++at_;
      if (op == ">" && !is(">")) {
        return std::nullopt;
      }
      at_ += op == ">" ? 1 : 0;
      const Value right = binary(here);
      left = right ? apply(op, *left, *right) : std::nullopt;
    }
    return left;
  }

  Value unary() {
    if (is("-")) {
      ++at_;
      const Value value = unary();
      return value ? Value(-*value) : value;
    }
    if (is("+")) {
      ++at_;
      return unary();
    }
    return primary();
  }

  Value primary() {
    if (at_ >= end_) {
      return std::nullopt;
    }
    const Token& token = source_.token(at_);
    if (token.is("(")) {
      return parenthesised();
    }
    if (token.kind == TokenKind::kNumber) {
      ++at_;
      return number(token.text);
    }
    return token.is_identifier() ? named() : std::nullopt;
  }

  Value parenthesised() {
    const std::size_t close = source_.partner(at_);
    if (close == kNoToken || close >= end_) {
      return std::nullopt;
    }
    const Value value = ExpressionReader(constants_, {at_ + 1, close}).read();
    at_ = close + 1;
    // `(int)x`: what is in the parentheses is no expression.
    return value || at_ == end_ ? value : unary();
  }

  static Value number(std::string_view text) {
    const bool is_hexadecimal =
        text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const std::string_view digits = is_hexadecimal ? text.substr(2) : text;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(),
                                              digits.data() + digits.size(),
                                              value,
                                              is_hexadecimal ? 16 : 10);
    const std::string_view suffix(
        end, static_cast<std::size_t>(digits.data() + digits.size() - end));
    const bool is_integer =
        suffix.find_first_not_of("uUlL") == std::string_view::npos;
    return error == std::errc() && is_integer ? Value(value) : std::nullopt;
  }

  // `a::b` by its last component; `int(x)` and `static_cast<int>(x)` by x.
  Value named() {
    std::string_view name = source_.token(at_++).text;
    while (is("::") && at_ + 1 < end_) {
      name = source_.token(at_ + 1).text;
      at_ += 2;
    }
    if (is("<")) {
      at_ = source_.after_group(at_);
    }
    if (is("(")) {
      return parenthesised();
    }
    const auto found = constants_.values_.find(name);
    return found == constants_.values_.end() ? std::nullopt
                                             : Value(found->second);
  }

  const IntegerConstants& constants_;
  const MetalSource& source_;
  std::size_t at_;
  std::size_t end_;
};

IntegerConstants::IntegerConstants(const MetalSource& source)
    : source_(source) {
  for (const Statement& statement : source.structure().statements) {
    if (statement.body < 0) {
      read_constant(statement);
      continue;
    }
    const Scope& scope = source.scope(statement.body);
    if (scope.kind == ScopeKind::kType &&
        source.contains({scope.header, scope.open}, "enum")) {
      read_enumerators(scope);
    }
  }
}

void IntegerConstants::read_enumerators(const Scope& scope) {
  if (scope.close == kNoToken) {
    return;
  }
  std::int64_t next = 0;
  for (const TokenRange& part :
       split_at_commas(source_.text(),
                       source_.structure(),
                       {scope.open + 1, scope.close})) {
    if (part.begin == part.end) {
      continue;
    }
    if (part.end > part.begin + 2 && source_.token(part.begin + 1).is("=")) {
      next = evaluate({part.begin + 2, part.end}).value_or(next);
    }
    values_.emplace(source_.token(part.begin).text, next);
    ++next;
  }
}

void IntegerConstants::read_constant(const Statement& statement) {
  const TokenRange range{statement.begin, statement.end};
  const std::size_t equals = source_.find(range, "=");
  if (equals == kNoToken || equals == range.begin ||
      !source_.token(equals - 1).is_identifier()) {
    return;
  }
  if (!source_.contains(range, "constexpr") &&
      !source_.contains(range, "constant") &&
      !source_.contains(range, "const")) {
    return;
  }
  const auto value = evaluate({equals + 1, range.end});
  if (value) {
    values_.emplace(source_.token(equals - 1).text, *value);
  }
}

std::optional<std::int64_t> IntegerConstants::evaluate(TokenRange range) const {
  return ExpressionReader(*this, range).read();
}

}  // namespace flash_attn_mps::simulator
