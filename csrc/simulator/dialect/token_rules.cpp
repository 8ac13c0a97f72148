// SPDX-License-Identifier: MIT
// One small function per rule; each names what is wrong and what to write.
#include "simulator/dialect/token_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace flash_attn_mps::simulator {
namespace {

struct ForbiddenWord {
  std::string_view word;
  std::string_view rule;
  std::string_view sentence;
};

constexpr std::string_view kNoExceptions = "Metal has no exceptions";
constexpr std::string_view kNoAllocation = "Metal has no dynamic allocation";
constexpr std::string_view kNoAssembly = "Metal has no inline assembly";
constexpr std::string_view kNoTypeQueries = "Metal has no run-time types";

constexpr std::array<ForbiddenWord, 17> kForbiddenWords = {{
    {"double", "double", "Metal has no `double`; use `float`"},
    {"virtual", "virtual", "Metal has no virtual functions"},
    {"goto", "goto", "Metal has no `goto`; use loops and conditions"},
    {"asm", "inline-assembly", kNoAssembly},
    {"__asm", "inline-assembly", kNoAssembly},
    {"__asm__", "inline-assembly", kNoAssembly},
    {"try", "exception", kNoExceptions},
    {"catch", "exception", kNoExceptions},
    {"throw", "exception", kNoExceptions},
    {"new", "allocation", kNoAllocation},
    {"delete", "allocation", kNoAllocation},
    {"dynamic_cast", "run-time-type", kNoTypeQueries},
    {"typeid", "run-time-type", kNoTypeQueries},
    {"thread_local", "storage-class", "Metal has no `thread_local`"},
    {"register", "storage-class", "Metal has no `register`"},
    {"co_await", "coroutine", "Metal has no coroutines"},
    {"wchar_t", "wide-character", "Metal has no wide characters"},
}};

class TokenRules {
 public:
  TokenRules(const MetalSource& source, const std::vector<bool>& is_own_file)
      : source_(source),
        tokens_(source.text().tokens),
        is_own_file_(is_own_file) {}

  void check_everywhere() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is("template")) {
        template_end_ = source_.after_template_header(i);
      }
      if (is_own_file_[static_cast<std::size_t>(tokens_[i].file)]) {
        check_word(i);
        check_function_pointer(i);
        check_vector_cast(i);
      }
    }
  }

  void check_body(const FunctionOutline& function) {
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
      if (!is_own_file_[static_cast<std::size_t>(tokens_[i].file)]) {
        continue;
      }
      if (tokens_[i].is("static")) {
        check_static_local(i, function.body.end);
      }
      if (tokens_[i].is("threadgroup") && !function.is_kernel) {
        check_threadgroup_variable(i, function);
      }
    }
  }

  Findings take_findings() { return std::move(findings_); }

 private:
  void report(std::size_t index, std::string_view rule, std::string sentence) {
    findings_.push_back({source_.file_of(index),
                         tokens_[index].line,
                         std::string(rule),
                         std::move(sentence)});
  }

  bool token_is(std::size_t index, std::string_view text) const {
    return index < tokens_.size() && tokens_[index].is(text);
  }

  bool is_member_access(std::size_t index) const {
    return index > 0 &&
           (tokens_[index - 1].is(".") || tokens_[index - 1].is("->") ||
            tokens_[index - 1].is("::"));
  }

  void check_word(std::size_t index) {
    if (!tokens_[index].is_identifier() || is_member_access(index)) {
      return;
    }
    const auto* found = std::find_if(kForbiddenWords.begin(),
                                     kForbiddenWords.end(),
                                     [&](const ForbiddenWord& word) {
                                       return tokens_[index].is(word.word);
                                     });
    // `= delete` and `operator new` declare, they do not allocate.
    const bool is_declaration =
        index > 0 && tokens_[index].is("delete") && tokens_[index - 1].is("=");
    if (found != kForbiddenWords.end() && !is_declaration) {
      report(index, found->rule, std::string(found->sentence));
    }
  }

  // `type (*name)(` or `type (&name)(`. As template parameters, and as the
  // alias of one, they are resolved when the template is instantiated, and
  // public kernels use them.
  void check_function_pointer(std::size_t index) {
    if (index < template_end_ || !token_is(index, "(") || index == 0) {
      return;
    }
    const bool is_indirect =
        token_is(index + 1, "*") || token_is(index + 1, "&");
    const std::size_t name = index + 2;
    const bool has_name =
        name < tokens_.size() && tokens_[name].is_identifier();
    const Token& before = tokens_[index - 1];
    const bool follows_type = (before.is_identifier() && !before.is("return") &&
                               !before.is("sizeof")) ||
                              before.is(">") || before.is("*");
    if (is_indirect && has_name && follows_type && token_is(name + 1, ")") &&
        token_is(name + 2, "(")) {
      report(index,
             "function-pointer",
             "pointers to functions are not for kernels; pass a type or a "
             "template argument instead");
    }
  }

  static bool is_vector_type(std::string_view name) {
    constexpr std::array<std::string_view, 14> kElements = {"bool",
                                                            "char",
                                                            "uchar",
                                                            "short",
                                                            "ushort",
                                                            "int",
                                                            "uint",
                                                            "long",
                                                            "ulong",
                                                            "half",
                                                            "bfloat",
                                                            "float",
                                                            "size_t",
                                                            "ptrdiff_t"};
    constexpr std::string_view kPacked = "packed_";
    if (name.starts_with(kPacked)) {
      name.remove_prefix(kPacked.size());
    }
    if (name.empty() || name.back() < '2' || name.back() > '4') {
      return false;
    }
    name.remove_suffix(1);
    return std::find(kElements.begin(), kElements.end(), name) !=
           kElements.end();
  }

  // `(float4)(a, b, c, d)`: by C++ the comma operator, so that all elements
  // would be d.
  void check_vector_cast(std::size_t index) {
    const bool is_cast = token_is(index, "(") && index + 3 < tokens_.size() &&
                         is_vector_type(tokens_[index + 1].text) &&
                         token_is(index + 2, ")") && token_is(index + 3, "(");
    if (!is_cast || (index > 0 && tokens_[index - 1].is_identifier() &&
                     !tokens_[index - 1].is("return"))) {
      return;
    }
    const std::size_t end = source_.after_group(index + 3) - 1;
    for (std::size_t i = index + 4; i < end;) {
      if (tokens_[i].is(",")) {
        const std::string type(tokens_[index + 1].text);
        report(index,
               "vector-cast",
               "`(" + type +
                   ")(a, b, ...)` casts only the last value; write `" + type +
                   "(a, b, ...)`");
        return;
      }
      i = token_is(i, "(") || token_is(i, "[") || token_is(i, "{")
              ? source_.after_group(i)
              : i + 1;
    }
  }

  void check_static_local(std::size_t index, std::size_t end) {
    for (std::size_t i = index; i < end && !tokens_[i].is(";"); ++i) {
      if (tokens_[i].is("constant")) {
        return;
      }
    }
    for (std::size_t i = index; i > 0 && !tokens_[i].is(";") &&
                                !tokens_[i].is("{") && !tokens_[i].is("}");
         --i) {
      if (tokens_[i - 1].is("constant")) {
        return;
      }
    }
    report(index,
           "static-local",
           "a static variable in a function needs the constant address space");
  }

  // A variable, not a pointer or a cast: the word begins a declaration that
  // reaches a name without `*` or `&`.
  void check_threadgroup_variable(std::size_t index,
                                  const FunctionOutline& function) {
    const Token& before = tokens_[index - 1];
    if (!before.is(";") && !before.is("{") && !before.is("}") &&
        !before.is("const") && !before.is("static") && !before.is(")")) {
      return;
    }
    for (std::size_t i = index + 1; i < function.body.end; ++i) {
      const Token& token = tokens_[i];
      if (token.is("*") || token.is("&") || token.is("(") || token.is(")")) {
        return;
      }
      if (token.is("<")) {
        i = source_.after_group(i) - 1;
      } else if (token.is(";") || token.is("[") || token.is("=")) {
        report(index,
               "threadgroup-variable",
               "`" + function.name +
                   "` is not a kernel and cannot declare a threadgroup "
                   "variable; declare it in the kernel and pass a pointer");
        return;
      }
    }
  }

  const MetalSource& source_;
  const std::vector<Token>& tokens_;
  const std::vector<bool>& is_own_file_;
  std::size_t template_end_ = 0;
  Findings findings_;
};

}  // namespace

Findings check_tokens(const MetalSource& source,
                      const std::vector<FunctionOutline>& functions,
                      const std::vector<bool>& is_own_file) {
  TokenRules rules(source, is_own_file);
  rules.check_everywhere();
  for (const FunctionOutline& function : functions) {
    rules.check_body(function);
  }
  return rules.take_findings();
}

}  // namespace flash_attn_mps::simulator
