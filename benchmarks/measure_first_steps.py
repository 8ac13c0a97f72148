# SPDX-License-Identifier: MIT
"""What a user waits for before any work: the import and the quick check."""

from __future__ import annotations

import statistics
import time

from benchmarks.figure import REPEATS, Figure
from benchmarks.process import answer_of, output_of

TITLE = "First steps"
CHECK = ("-m", "flash_attn_mps", "check", "--quick")


def seconds_of_check() -> float:
    """Wall-clock time of the quick check, on the simulator with a warm cache."""
    start = time.perf_counter()
    output = output_of(*CHECK)
    if not output:
        raise RuntimeError("the quick check printed nothing")
    return time.perf_counter() - start


def measure() -> list[Figure]:
    """The first check fills the cache of kernels and is not counted."""
    imports = [answer_of("benchmarks.import_time") for _ in range(REPEATS)]
    seconds_of_check()
    return [
        Figure("import after torch", 1000 * statistics.median(imports), "ms", 50),
        Figure("check --quick, warm cache", seconds_of_check(), "s", 60),
    ]
