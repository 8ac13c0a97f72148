// SPDX-License-Identifier: MIT
// Fields one after another: numbers in decimal with a blank behind them,
// strings preceded by their length.
#include "simulator/translate/program_file.h"

#include <charconv>
#include <memory>
#include <type_traits>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::string_view kFirstWord = "flash_attn_mps-program-3 ";
constexpr std::string_view kLastWord = "end";

class Writer {
 public:
  void field(const std::string& value) {
    field(static_cast<long>(value.size()));
    text += value;
  }
  void field(long value) { text += std::to_string(value) + " "; }
  void field(int value) { field(static_cast<long>(value)); }
  void field(bool value) { field(static_cast<long>(value)); }
  template <typename Enum>
    requires std::is_enum_v<Enum>
  void field(Enum value) {
    field(static_cast<long>(value));
  }
  template <typename T>
  void fields(const std::vector<T>& values);

  std::string text;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  void field(std::string& value) {
    const auto size = static_cast<std::size_t>(number());
    if (size > rest_.size()) {
      is_valid = false;
      return;
    }
    value = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void field(int& value) { value = static_cast<int>(number()); }
  void field(bool& value) { value = number() != 0; }
  template <typename Enum>
    requires std::is_enum_v<Enum>
  void field(Enum& value) {
    value = static_cast<Enum>(number());
  }
  template <typename T>
  void fields(std::vector<T>& values);

  std::string_view rest() const { return rest_; }

  bool is_valid = true;

 private:
  long number() {
    long value = 0;
    const char* begin = std::to_address(rest_.begin());
    const char* end = std::to_address(rest_.end());
    const auto [after, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || after == end || value < -1) {
      is_valid = false;
      return 0;
    }
    rest_.remove_prefix(static_cast<std::size_t>(after - begin) + 1);
    return value;
  }

  std::string_view rest_;
};

// One list of fields for each type serves both directions.
template <typename Direction, typename Argument>
void visit_argument(Direction& direction, Argument& argument) {
  direction.field(argument.name);
  direction.field(argument.kind);
  direction.field(argument.index);
  direction.field(argument.space);
  direction.field(argument.is_pointer);
  direction.field(argument.is_const);
  direction.field(argument.attribute);
  direction.field(argument.type);
  direction.field(argument.condition);
}

template <typename Direction, typename Kernel>
void visit_kernel(Direction& direction, Kernel& kernel) {
  direction.field(kernel.function);
  direction.field(kernel.enclosing_namespace);
  direction.field(kernel.host_name);
  direction.field(kernel.template_arguments);
  direction.field(kernel.spells_parameters);
  direction.fields(kernel.arguments);
  direction.field(kernel.max_total_threads);
  direction.field(kernel.max_total_threads_expression);
  direction.field(kernel.template_header);
  direction.field(kernel.file);
  direction.field(kernel.line);
}

template <typename Direction, typename Constant>
void visit_constant(Direction& direction, Constant& constant) {
  direction.field(constant.name);
  direction.field(constant.type);
  direction.field(constant.index);
  direction.field(constant.file);
  direction.field(constant.line);
}

template <typename Direction, typename Variable>
void visit_variable(Direction& direction, Variable& variable) {
  direction.field(variable.name);
  direction.field(variable.type);
  direction.field(variable.extent);
  direction.field(variable.function);
  direction.field(variable.file);
  direction.field(variable.line);
  direction.field(variable.site);
}

template <typename Direction, typename Function>
void visit_left_out(Direction& direction, Function& function) {
  direction.field(function.name);
  direction.field(function.host_name);
  direction.field(function.reason);
}

template <typename Direction, typename T>
void visit(Direction& direction, T& value) {
  using Value = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Value, KernelArgument>) {
    visit_argument(direction, value);
  } else if constexpr (std::is_same_v<Value, KernelDeclaration>) {
    visit_kernel(direction, value);
  } else if constexpr (std::is_same_v<Value, FunctionConstant>) {
    visit_constant(direction, value);
  } else if constexpr (std::is_same_v<Value, LeftOutFunction>) {
    visit_left_out(direction, value);
  } else {
    visit_variable(direction, value);
  }
}

template <typename Direction, typename Source>
void visit_source(Direction& direction, Source& source) {
  direction.field(source.text);
  direction.field(source.swizzles);
  direction.fields(source.kernels);
  direction.fields(source.constants);
  direction.fields(source.threadgroup_variables);
  direction.fields(source.left_out);
}

template <typename T>
void Writer::fields(const std::vector<T>& values) {
  field(static_cast<long>(values.size()));
  for (const T& value : values) {
    visit(*this, value);
  }
}

template <typename T>
void Reader::fields(std::vector<T>& values) {
  const long count = number();
  for (long i = 0; i < count && is_valid; ++i) {
    visit(*this, values.emplace_back());
  }
}

}  // namespace

std::string serialize(const TranslatedSource& source) {
  Writer writer;
  writer.text = kFirstWord;
  visit_source(writer, source);
  return writer.text + std::string(kLastWord);
}

std::optional<TranslatedSource> deserialize(std::string_view text) {
  if (!text.starts_with(kFirstWord)) {
    return std::nullopt;
  }
  Reader reader(text.substr(kFirstWord.size()));
  TranslatedSource source;
  visit_source(reader, source);
  const bool is_whole = reader.is_valid && reader.rest() == kLastWord;
  return is_whole ? std::optional(std::move(source)) : std::nullopt;
}

}  // namespace flash_attn_mps::simulator
