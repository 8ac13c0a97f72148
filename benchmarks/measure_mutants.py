# SPDX-License-Identifier: MIT
"""Mutants of our kernels that a test catches; takes minutes."""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.process import counted, output_of

TITLE = "Mutants of our kernels"


def measure() -> list[Figure]:
    """Reads the last line of the mutation test."""
    output = output_of("-m", "tools.mutate_kernels")
    if "total" not in output:
        raise RuntimeError(f"the mutation test did not finish:\n{output[-2000:]}")
    return [
        Figure("in all", counted("total", output), "mutants"),
        Figure("caught", counted("caught", output), "mutants"),
        Figure("proved to change nothing", counted("equivalent", output), "mutants"),
        Figure("survived", counted("survived", output), "mutants", 0),
    ]
