// SPDX-License-Identifier: MIT
// The list is made once, at its first use.
#include "torch/kernel_inventory.h"

#include <sstream>
#include <stdexcept>
#include <vector>

#include "dispatch/parameter_route.h"
#include "dispatch/pipeline_cache.h"
#include "specialize/kernel_family.h"
#include "specialize/kernel_source.h"

namespace flash_attn_mps {
namespace {

struct Probe {
  std::string name;
  ElementType element_type;
};

struct Inventory {
  std::vector<KernelSpec> families = kernel_families(m1_max_traits());
  std::vector<Probe> probes;

  Inventory() {
    for (const std::string& name : probe_names()) {
      for (const ElementType type : {ElementType::kFloat32,
                                     ElementType::kFloat16,
                                     ElementType::kBFloat16}) {
        probes.push_back({.name = name, .element_type = type});
      }
    }
  }
};

const Inventory& inventory() {
  static const Inventory list;
  return list;
}

void describe_family(const KernelSpec& spec, std::ostringstream& text) {
  text << family_name(spec) << "\t" << kernel_function_name(spec.kernel) << "\t"
       << element_type_name(spec.element_type) << "\t"
       << masking_name(spec.masking) << "\t" << spec.head_dim << "\t"
       << spec.value_head_dim << "\n";
}

void describe_probe(const Probe& probe, std::ostringstream& text) {
  const auto type = element_type_name(probe.element_type);
  text << probe.name << " " << type << "\t" << probe.name << "\t" << type
       << "\tprobe\t0\t0\n";
}

// Calls one of two functions on the line's family or probe.
template <typename OnFamily, typename OnProbe>
auto visit_line(int64_t line, OnFamily on_family, OnProbe on_probe) {
  const auto index = static_cast<std::size_t>(line);
  const std::size_t families = inventory().families.size();
  if (line < 0 || index >= families + inventory().probes.size()) {
    throw std::runtime_error(
        "flash_attn_mps::inventory: the line must be one of kernel_inventory; "
        "got " +
        std::to_string(line) + ".");
  }
  return index < families ? on_family(inventory().families[index])
                          : on_probe(inventory().probes[index - families]);
}

}  // namespace

std::string kernel_inventory() {
  std::ostringstream text;
  for (const KernelSpec& spec : inventory().families) {
    describe_family(spec, text);
  }
  for (const Probe& probe : inventory().probes) {
    describe_probe(probe, text);
  }
  return text.str();
}

std::string inventory_source(int64_t line) {
  return visit_line(
      line,
      [](const KernelSpec& spec) { return kernel_source_from_spec(spec); },
      [](const Probe& probe) {
        return probe_source(probe.name, probe.element_type);
      });
}

int64_t compile_inventory(int64_t line) {
  return visit_line(
      line,
      [](const KernelSpec& spec) -> int64_t {
        pipeline_cache().get(spec);
        return 0;
      },
      [](const Probe& probe) -> int64_t {
        const Pipeline pipeline(probe_source(probe.name, probe.element_type),
                                probe.name);
        return 0;
      });
}

std::string parameter_route() {
  return std::string(parameter_route_name());
}

}  // namespace flash_attn_mps
