# SPDX-License-Identifier: MIT
"""Planted defects that the checkers report, and twins that they pass over."""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.process import counted, output_of

TITLE = "Planted defects, each compiled without and with optimisation"
TESTS = {
    "defects reported": "test_defect_is_reported_with_kind_and_line",
    "repaired twins silent": "test_repaired_twin_is_silent",
}


def measure() -> list[Figure]:
    """Counts the tests of each kind that pass, against all of them."""
    figures = []
    for name, test in TESTS.items():
        path = f"tests/simulator/test_defects.py::{test}"
        output = output_of("-m", "pytest", "-q", "-n", "2", path)
        passed, failed = counted("passed", output), counted("failed", output)
        figures.append(Figure(name, passed, "", passed + failed, True))
    return figures
