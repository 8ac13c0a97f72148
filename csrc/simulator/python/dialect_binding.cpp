// SPDX-License-Identifier: MIT
// Hands texts to check_dialect and findings back.
#include "simulator/python/dialect_binding.h"

#include <pybind11/stl.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/dialect/dialect_check.h"

namespace py = pybind11;

namespace flash_attn_mps::simulator {
namespace {

// File, line, rule and sentence of each finding.
using FindingTuples =
    std::vector<std::tuple<std::string, int, std::string, std::string>>;

// The parameters are those of DialectRequest.
FindingTuples check(const std::pair<std::string, std::string>& source_and_file,
                    const std::vector<std::string>& include_paths,
                    const std::map<std::string, std::string>& defines,
                    bool is_run_time_text,
                    const std::vector<std::string>& known_names) {
  DialectRequest request;
  request.program.source = source_and_file.first;
  request.program.file_name = source_and_file.second;
  request.program.include_paths = include_paths;
  request.program.defines = defines;
  request.origin = is_run_time_text ? TextOrigin::kRunTime : TextOrigin::kFile;
  request.known_names = known_names;
  const py::gil_scoped_release unlocked;
  FindingTuples tuples;
  for (const Finding& finding : check_dialect(request)) {
    tuples.emplace_back(
        finding.file, finding.line, finding.rule, finding.sentence);
  }
  return tuples;
}

}  // namespace

void bind_dialect(py::module_& module) {
  module.def("check_metal", &check);
}

}  // namespace flash_attn_mps::simulator
