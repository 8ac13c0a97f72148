// SPDX-License-Identifier: MIT
// The pybind11 module _simulator: compile a Metal text, dispatch a kernel on
// memory given by address, hand the reports back. flash_attn_mps/simulator.py
// makes the public interface of it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/execute/dispatch.h"
#include "simulator/execute/fiber.h"
#include "simulator/execute/kernel_library.h"
#include "simulator/python/dialect_binding.h"

namespace py = pybind11;

namespace flash_attn_mps::simulator {
namespace {

// Address, bytes, what it is, address of the initialised bytes or 0 (see
// MemoryRegion).
using BoundMemory =
    std::tuple<std::uintptr_t, std::size_t, std::string, std::uintptr_t>;
using Extent = std::tuple<unsigned, unsigned, unsigned>;

struct DispatchOptions {
  Extent threads;
  Extent group;
  std::vector<std::optional<BoundMemory>> buffers;
  std::vector<std::size_t> threadgroup_bytes;
  std::uint64_t seed = 0;
};

class Kernel {
 public:
  explicit Kernel(std::shared_ptr<const LoadedKernel> kernel)
      : kernel_(std::move(kernel)) {}

  DispatchReport dispatch(const DispatchOptions& options) const;
  const KernelDeclaration& declaration() const {
    return kernel_->declaration();
  }

 private:
  std::shared_ptr<const LoadedKernel> kernel_;
};

GridPosition extent(const Extent& size) {
  return {std::get<0>(size), std::get<1>(size), std::get<2>(size)};
}

DispatchReport Kernel::dispatch(const DispatchOptions& options) const {
  DispatchRequest request;
  request.kernel = kernel_.get();
  request.threads = extent(options.threads);
  request.group = extent(options.group);
  request.threadgroup_bytes = options.threadgroup_bytes;
  request.seed = options.seed;
  if (options.buffers.size() > kBufferSlots) {
    throw py::value_error("buffers: at most " + std::to_string(kBufferSlots) +
                          " can be bound; got " +
                          std::to_string(options.buffers.size()));
  }
  for (std::size_t index = 0; index < options.buffers.size(); ++index) {
    if (options.buffers[index].has_value()) {
      const auto& [address, bytes, kind, initialised] = *options.buffers[index];
      request.buffers[index] = BufferBinding{
          .address = reinterpret_cast<void*>(address),
          .bytes = bytes,
          .is_writable = kind == "writable",
          .is_set_bytes = kind == "set bytes",
          .initialised = reinterpret_cast<std::uint8_t*>(initialised)};
    }
  }
  const py::gil_scoped_release unlocked;
  return run_dispatch(request);
}

Build build_of(const std::string& name) {
  if (name == "fast") {
    return Build::kFast;
  }
  if (name == "checked") {
    return Build::kChecked;
  }
  if (name == "fast_math") {
    return Build::kFastMath;
  }
  throw py::value_error("build must be fast, checked or fast_math; got " +
                        name);
}

ConstantValue constant_of(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) {
    return value.cast<bool>();
  }
  if (py::isinstance<py::int_>(value)) {
    return value.cast<std::int64_t>();
  }
  return value.cast<double>();
}

struct LibraryOptions {
  std::string source;
  std::string file_name;
  std::vector<std::string> include_paths;
  std::map<std::string, std::string> defines;
  py::dict constants;
  std::string build;
  int optimization_level;
};

std::shared_ptr<KernelLibrary> make_library(const LibraryOptions& options) {
  CompileRequest request;
  request.source = options.source;
  request.file_name = options.file_name;
  request.include_paths = options.include_paths;
  request.defines = options.defines;
  request.build = build_of(options.build);
  request.optimization_level = options.optimization_level;
  for (const auto& [index, value] : options.constants) {
    request.constants[index.cast<int>()] = constant_of(value);
  }
  const py::gil_scoped_release unlocked;
  return std::make_shared<KernelLibrary>(request);
}

py::tuple position(const GridPosition& at) {
  return py::make_tuple(at.x, at.y, at.z);
}

void bind_reports(py::module_& module) {
  py::class_<Violation>(module, "Violation")
      .def_property_readonly(
          "kind",
          [](const Violation& violation) { return kind_name(violation.kind); })
      .def_property_readonly(
          "file",
          [](const Violation& violation) { return violation.place.file; })
      .def_property_readonly(
          "line",
          [](const Violation& violation) { return violation.place.line; })
      .def_property_readonly("threadgroup",
                             [](const Violation& violation) {
                               return position(violation.thread.threadgroup);
                             })
      .def_property_readonly(
          "simdgroup",
          [](const Violation& violation) { return violation.thread.simdgroup; })
      .def_property_readonly(
          "lane",
          [](const Violation& violation) { return violation.thread.lane; })
      .def_property_readonly("other",
                             [](const Violation& violation) -> py::object {
                               if (!violation.other.has_value()) {
                                 return py::none();
                               }
                               const OtherAccess& other = *violation.other;
                               return py::make_tuple(
                                   other.place.file,
                                   other.place.line,
                                   position(other.thread.threadgroup),
                                   other.thread.simdgroup,
                                   other.thread.lane);
                             })
      .def_readonly("kernel", &Violation::kernel)
      .def_readonly("what", &Violation::what)
      .def_readonly("buffer", &Violation::buffer)
      .def_readonly("buffer_index", &Violation::buffer_index)
      .def_readonly("offset", &Violation::offset)
      .def("paragraph", &Violation::paragraph);
  py::class_<DispatchReport>(module, "DispatchReport")
      .def_readonly("violations", &DispatchReport::violations)
      .def_readonly("notes", &DispatchReport::notes)
      .def_readonly("counters", &DispatchReport::counters);
}

}  // namespace

PYBIND11_MODULE(_simulator, module) {
  module.doc() = "The simulated Apple GPU; use flash_attn_mps.simulator.";
  py::register_exception<CompileError>(
      module, "CompileError", PyExc_RuntimeError);
  bind_reports(module);
  bind_dialect(module);
  py::class_<Kernel>(module, "Kernel")
      .def("dispatch",
           [](const Kernel& kernel,
              const Extent& threads,
              const Extent& group,
              std::vector<std::optional<BoundMemory>> buffers,
              std::vector<std::size_t> threadgroup_bytes,
              std::uint64_t seed) {
             return kernel.dispatch({threads,
                                     group,
                                     std::move(buffers),
                                     std::move(threadgroup_bytes),
                                     seed});
           })
      .def_property_readonly("name", [](const Kernel& kernel) {
        return kernel.declaration().host_name;
      });
  py::class_<KernelLibrary, std::shared_ptr<KernelLibrary>>(module, "Library")
      .def(py::init([](const std::string& source,
                       const std::string& file_name,
                       const std::vector<std::string>& include_paths,
                       const std::map<std::string, std::string>& defines,
                       const py::dict& constants,
                       const std::pair<std::string, int>& build) {
        return make_library({source,
                             file_name,
                             include_paths,
                             defines,
                             constants,
                             build.first,
                             build.second});
      }))
      .def_property_readonly("kernel_names", &KernelLibrary::kernel_names)
      .def("kernel", [](KernelLibrary& library, const std::string& name) {
        std::shared_ptr<const LoadedKernel> kernel;
        {
          const py::gil_scoped_release unlocked;
          kernel = library.kernel(name);
        }
        return Kernel(std::move(kernel));
      });
  module.def("use_slow_fibers", [](bool is_slow) {
    set_fiber_back_end(is_slow ? FiberBackEnd::kUcontext
                               : FiberBackEnd::kAssembly);
  });
}

}  // namespace flash_attn_mps::simulator
