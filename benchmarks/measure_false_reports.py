# SPDX-License-Identifier: MIT
"""Reports of the checkers on right kernels: none; takes minutes."""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.process import counted, output_of

TITLE = "Random attention problems under all checkers"
PROBLEMS = 500


def measure() -> list[Figure]:
    """Reads the last line of the campaign; the seed is fixed."""
    output = output_of(
        "-m", "tools.false_reports", "--problems", str(PROBLEMS), "--seed", "0"
    )
    if "false reports" not in output:
        raise RuntimeError(f"the campaign did not finish:\n{output[-2000:]}")
    faults = counted("false reports", output)
    return [
        Figure("problems, forward and backward", counted("problems", output), ""),
        Figure("false reports or wrong results", faults, "", 0),
    ]
