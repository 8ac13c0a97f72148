// SPDX-License-Identifier: MIT
// Classifies kernel parameters by address space and attribute.
#include "simulator/translate/kernel_arguments.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::array<std::string_view, 20> kThreadAttributes = {
    "dispatch_quadgroups_per_threadgroup",
    "dispatch_simdgroups_per_threadgroup",
    "dispatch_threads_per_threadgroup",
    "grid_origin",
    "grid_size",
    "quadgroup_index_in_threadgroup",
    "quadgroups_per_threadgroup",
    "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "thread_execution_width",
    "thread_index_in_quadgroup",
    "thread_index_in_simdgroup",
    "thread_index_in_threadgroup",
    "thread_position_in_grid",
    "thread_position_in_threadgroup",
    "threadgroup_position_in_grid",
    "threadgroups_per_grid",
    "threads_per_grid",
    "threads_per_simdgroup",
    "threads_per_threadgroup"};

constexpr std::array<std::string_view, 6> kUnsupportedAttributes = {
    "texture",
    "sampler",
    "stage_in",
    "payload",
    "imageblock_data",
    "raster_order_group"};

AddressSpace address_space_of(const MetalSource& source, TokenRange range) {
  if (source.contains(range, "device")) {
    return AddressSpace::kDevice;
  }
  if (source.contains(range, "constant")) {
    return AddressSpace::kConstant;
  }
  return source.contains(range, "threadgroup") ? AddressSpace::kThreadgroup
                                               : AddressSpace::kNone;
}

class ArgumentReader {
 public:
  ArgumentReader(const MetalSource& source,
                 const IntegerConstants& constants,
                 bool attributes_may_miss)
      : source_(source),
        constants_(constants),
        attributes_may_miss_(attributes_may_miss) {}

  KernelArgument read(TokenRange range) {
    KernelArgument argument;
    range_ = {range.begin, end_of_declarator(range)};
    argument.space = address_space_of(source_, range_);
    argument.is_pointer = source_.contains(range_, "*");
    read_name_and_type(argument);
    argument.is_const =
        argument.space == AddressSpace::kConstant || is_pointee_const();
    for (const Attribute& attribute : source_.attributes_in(range)) {
      apply(attribute, argument, range.begin);
    }
    finish(argument, range.begin);
    return argument;
  }

 private:
  // Before the attributes and a default value.
  std::size_t end_of_declarator(TokenRange range) const {
    std::size_t end = range.begin;
    while (end < range.end && !source_.is_in_attribute(end) &&
           !source_.token(end).is("=")) {
      ++end;
    }
    return end;
  }

  void read_name_and_type(KernelArgument& argument) const {
    std::size_t name = range_.end;
    while (name > range_.begin && !source_.token(name - 1).is_identifier()) {
      --name;
    }
    // A lone word, as in an instantiation's `uint`, is a type.
    const bool is_named = name > range_.begin + 1 && name == range_.end &&
                          !is_type_only(name - 1);
    if (is_named) {
      argument.name = source_.token(name - 1).text;
    }
    argument.type =
        source_.edits().text(range_.begin, is_named ? name - 1 : range_.end);
  }

  // `const device float` or `metal::uint3`: the last word belongs to the type.
  bool is_type_only(std::size_t last) const {
    static constexpr std::array<std::string_view, 7> kQualifiers = {
        "const",
        "device",
        "constant",
        "threadgroup",
        "::",
        "unsigned",
        "volatile"};
    const Token& before = source_.token(last - 1);
    return std::any_of(kQualifiers.begin(),
                       kQualifiers.end(),
                       [&](std::string_view word) { return before.is(word); });
  }

  bool is_pointee_const() const {
    const std::size_t star = source_.find(range_, "*");
    const TokenRange pointee{range_.begin,
                             star == kNoToken ? range_.end : star};
    return source_.contains(pointee, "const");
  }

  void apply(const Attribute& attribute,
             KernelArgument& argument,
             std::size_t place) {
    if (attribute.name == "buffer" || attribute.name == "threadgroup") {
      const auto index = constants_.evaluate(attribute.arguments);
      if (!index) {
        source_.refuse(place,
                       "the index in [[" + attribute.name +
                           "(...)]] of parameter '" + argument.name +
                           "' is no integer constant.");
      }
      argument.index = static_cast<int>(*index);
    } else if (attribute.name == "function_constant") {
      argument.condition = source_.original_text(attribute.arguments);
    } else if (is_thread_attribute(attribute.name)) {
      argument.attribute = attribute.name;
    } else {
      refuse_attribute(attribute.name, place);
    }
  }

  [[noreturn]] void refuse_attribute(const std::string& name,
                                     std::size_t place) const {
    source_.refuse(place,
                   "[[" + name + "]] is not supported" +
                       (is_unsupported(name)
                            ? ": the simulator runs compute kernels on buffers "
                              "only."
                            : " as the attribute of a kernel parameter."));
  }

  static bool is_unsupported(const std::string& name) {
    return std::find(kUnsupportedAttributes.begin(),
                     kUnsupportedAttributes.end(),
                     name) != kUnsupportedAttributes.end();
  }

  void finish(KernelArgument& argument, std::size_t place) {
    const bool is_memory = argument.space != AddressSpace::kNone;
    if (!argument.attribute.empty()) {
      argument.kind = ArgumentKind::kValue;
    } else if (argument.space == AddressSpace::kThreadgroup) {
      argument.kind = ArgumentKind::kThreadgroup;
    } else if (is_memory) {
      argument.kind = ArgumentKind::kBuffer;
    } else if (!attributes_may_miss_) {
      source_.refuse(place,
                     "kernel parameter '" + argument.name +
                         "' needs an attribute such as [[buffer(n)]] "
                         "or [[thread_position_in_grid]], or an address "
                         "space.");
    }
  }

  const MetalSource& source_;
  const IntegerConstants& constants_;
  bool attributes_may_miss_;
  TokenRange range_;
};

void assign_free_slots(std::vector<KernelArgument>& arguments,
                       ArgumentKind kind) {
  std::set<int> used;
  for (const KernelArgument& argument : arguments) {
    if (argument.kind == kind && argument.index >= 0) {
      used.insert(argument.index);
    }
  }
  int next = 0;
  for (KernelArgument& argument : arguments) {
    if (argument.kind != kind || argument.index >= 0) {
      continue;
    }
    while (used.count(next) != 0) {
      ++next;
    }
    argument.index = next;
    used.insert(next);
  }
}

}  // namespace

bool is_thread_attribute(const std::string& name) {
  return std::find(kThreadAttributes.begin(), kThreadAttributes.end(), name) !=
         kThreadAttributes.end();
}

std::vector<KernelArgument> read_kernel_arguments(
    const MetalSource& source,
    const IntegerConstants& constants,
    TokenRange parameters,
    bool attributes_may_miss) {
  std::vector<KernelArgument> arguments;
  ArgumentReader reader(source, constants, attributes_may_miss);
  for (const TokenRange& part :
       split_at_commas(source.text(), source.structure(), parameters)) {
    const bool is_void =
        part.end == part.begin + 1 && source.token(part.begin).is("void");
    if (!is_void) {
      arguments.push_back(reader.read(part));
    }
  }
  assign_free_slots(arguments, ArgumentKind::kBuffer);
  assign_free_slots(arguments, ArgumentKind::kThreadgroup);
  return arguments;
}

}  // namespace flash_attn_mps::simulator
