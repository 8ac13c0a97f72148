# SPDX-License-Identifier: MIT
"""The structure check finds what it promises and passes its clean twin."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.check_structure import check_one_file, check_repository
from tools.function_lengths import cpp_functions, python_functions
from tools.include_edges import check_include_edges
from tools.source_files import ROOT, repository_files

HEADER = "// SPDX-License-Identifier: MIT\n// Holds a noun.\n"
# Put together here, since the check reads this file too.
NOTE = "".join(["TO", "DO"])
PLACE = "/".join(["", "work", ""])
ENTRY = " ".join(["issue", "7"])


def write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return Path(name)


def test_the_repository_itself_has_no_findings() -> None:
    findings = check_repository(ROOT, repository_files(ROOT))
    assert [str(finding) for finding in findings] == []


@pytest.mark.parametrize(
    ("name", "include"),
    [
        ("csrc/problem/a.h", '"plan/tiling_plan.h"'),
        ("csrc/plan/a.cpp", '"specialize/kernel_spec.h"'),
        ("csrc/specialize/a.cpp", '"dispatch/pipeline_cache.h"'),
        ("csrc/dispatch/a.cpp", '"torch/operators.h"'),
        ("csrc/dispatch/a.cpp", "<torch/csrc/stable/tensor.h>"),
        ("csrc/dispatch/a.cpp", '"simulator/execute/fiber.h"'),
        ("csrc/plan/a.h", "<torch/csrc/inductor/aoti_torch/c/shim_mps.h>"),
        ("csrc/simulator/translate/a.h", '"plan/device_traits.h"'),
        ("csrc/simulator/execute/a.cpp", '"simulator/observe/bounds.h"'),
        ("csrc/simulator/execute/a.cpp", "<torch/csrc/stable/tensor.h>"),
        ("csrc/plan/a.cpp", '"simulator/shim/simulator_hooks.h"'),
        ("csrc/torch/a.cpp", "<ATen/ATen.h>"),
        ("csrc/torch/a.cpp", "<pybind11/pybind11.h>"),
        ("metal/tile/a.h", '"metal/attention/mask.h"'),
        ("metal/kernels/a.metal", '"csrc/problem/attention_problem.h"'),
        ("tests/cpp/test_a.cpp", '"torch/operators.h"'),
    ],
)
def test_a_forbidden_include_is_found(tmp_path: Path, name: str, include: str) -> None:
    file = write(tmp_path, name, f"{HEADER}#include {include}\n")
    assert [f.line for f in check_include_edges(tmp_path, [file])] == [3]


@pytest.mark.parametrize(
    ("name", "include"),
    [
        ("csrc/plan/a.h", '"problem/attention_problem.h"'),
        ("csrc/plan/a.h", '"plan/device_traits.h"'),
        ("csrc/plan/a.h", '"metal/shared/attention_params.h"'),
        ("csrc/dispatch/a.cpp", "<torch/csrc/inductor/aoti_torch/c/shim_mps.h>"),
        ("csrc/torch/a.cpp", "<torch/csrc/stable/tensor.h>"),
        ("csrc/simulator/python/a.cpp", "<pybind11/pybind11.h>"),
        ("metal/kernels/a.metal", '"metal/attention/mask.h"'),
        ("csrc/dispatch/a.cpp", '"simulator/shim/simulator_hooks.h"'),
        ("csrc/plan/a.cpp", "<vector>"),
    ],
)
def test_an_allowed_include_passes(tmp_path: Path, name: str, include: str) -> None:
    file = write(tmp_path, name, f"{HEADER}#include {include}\n")
    assert check_include_edges(tmp_path, [file]) == []


@pytest.mark.parametrize(
    ("name", "text", "line", "part"),
    [
        ("csrc/plan/tile_utils.h", HEADER, 1, "says nothing of its content"),
        ("csrc/plan/common.cpp", HEADER, 1, "says nothing of its content"),
        ("csrc/plan/a.h", "#pragma once\n", 1, "SPDX"),
        ("csrc/plan/a.h", HEADER[:32] + "int a;\n", 2, "responsible for"),
        ("csrc/plan/a.h", HEADER + "// na\u00efve\n", 3, "not ASCII"),
        ("csrc/plan/a.h", HEADER + f"// {NOTE}: later\n", 3, "a note to oneself"),
        ("csrc/plan/a.h", HEADER + f"// see {PLACE}a\n", 3, "one machine's path"),
        ("docs/a.md", f"As {ENTRY} says.\n", 1, "only a tracker knows"),
        ("docs/a.md", "See [it](nowhere.md).\n", 1, "dead"),
        ("csrc/plan/a.h", HEADER + "int a; \n", 3, "white space"),
        ("csrc/plan/a.h", HEADER + "\n" * 499, 501, "at most 500"),
        ("metal/tile/a.h", HEADER + "// Simulator\n", 3, "must not mention"),
    ],
)
def test_a_planted_fault_is_found(
    tmp_path: Path, name: str, text: str, line: int, part: str
) -> None:
    file = write(tmp_path, name, text)
    (finding,) = check_one_file(tmp_path, file)
    assert finding.line == line
    assert part in finding.sentence


def test_a_clean_file_has_no_findings(tmp_path: Path) -> None:
    file = write(tmp_path, "csrc/plan/tile_table.h", HEADER + "\n" * 498)
    assert check_one_file(tmp_path, file) == []


CPP_SAMPLE = """\
#include <a>
namespace n {
struct S {
  S() : a_{1}, b_(2) {
    a_ = 3;
  }
  int get() const { return a_; }
  int a_;
  int b_;
};
constexpr int kTable[] = {1, 2};
// void comment() {
template <typename T>
auto f(T x) -> decltype(x) {
  auto g = [](int y) { return y; };
  if (x) {
    return "}{";
  }
  return R"(})";
}
[[max_total_threads_per_threadgroup(64)]]
kernel void k(device float* p [[buffer(0)]]) {
  p[0] = 1;
}
}  // namespace n
"""


def test_cpp_functions_are_measured_by_their_braces() -> None:
    functions = cpp_functions(Path("a.metal"), CPP_SAMPLE)
    assert [(f.name, f.line, f.lines, f.is_kernel) for f in functions] == [
        ("S", 4, 3, False),
        ("get", 7, 1, False),
        ("f", 14, 7, False),
        ("k", 22, 3, True),
    ]


def test_python_functions_are_measured_without_their_docstrings() -> None:
    text = 'def f(a):\n    """Two\n    lines."""\n    return a\n'
    (function,) = python_functions(Path("a.py"), text)
    assert (function.name, function.lines) == ("f", 2)


def test_a_function_over_its_limit_is_found(tmp_path: Path) -> None:
    body = "  a();\n" * 60
    file = write(tmp_path, "csrc/plan/a.cpp", f"{HEADER}void f() {{\n{body}}}\n")
    sentences = [f.sentence for f in check_repository(tmp_path, [file])]
    assert "f has 62 lines; at most 60" in sentences


def test_a_kernel_may_be_longer_than_a_function(tmp_path: Path) -> None:
    body = "  a();\n" * 70
    short = "void g() {}\n" * 2
    text = f"{HEADER}kernel void f() {{\n{body}}}\n{short}"
    file = write(tmp_path, "metal/kernels/a.metal", text)
    assert check_repository(tmp_path, [file]) == []
