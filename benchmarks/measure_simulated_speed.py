# SPDX-License-Identifier: MIT
"""How fast the simulator computes attention, against numpy's yardstick."""

from __future__ import annotations

import statistics

from benchmarks import numpy_yardstick
from benchmarks.figure import Figure
from benchmarks.process import answer_of

TITLE = "Simulated attention, float32, B=1 H=4 S=512 D=64, not causal"
# In percent of the yardstick.
BAR_FAST, BAR_CHECKED, BAR_TWO_WORKERS = 2.0, 0.67, 1.7


def speed(which: str, *, workers: int, checks: str) -> float:
    """GMAC/s of one pass with some workers, with or without checks."""
    gmac: float = answer_of(
        "benchmarks.attention_speed",
        which,
        FLASH_ATTN_MPS_SIMULATOR_THREADS=str(workers),
        FLASH_ATTN_MPS_SIMULATOR_CHECKS=checks,
    )
    return gmac


def measure() -> list[Figure]:
    """The yardstick is taken between the others: the machine may be shared."""
    yardsticks = [numpy_yardstick.measured()]
    speeds = {}
    for which, workers, checks in (
        ("forward", 1, "none"),
        ("forward", 2, "none"),
        ("backward", 1, "none"),
        ("forward", 1, "all"),
        ("backward", 1, "all"),
    ):
        speeds[which, workers, checks] = speed(which, workers=workers, checks=checks)
        yardsticks.append(numpy_yardstick.measured())
    yardstick = statistics.median(yardsticks)
    fast, two = speeds["forward", 1, "none"], speeds["forward", 2, "none"]
    figures = [
        Figure("numpy's float32 1024^3 product, one thread", yardstick, "GMAC/s"),
        Figure("forward, one worker", fast, "GMAC/s"),
        Figure("backward, one worker", speeds["backward", 1, "none"], "GMAC/s"),
        percentage("forward, one worker", fast, yardstick, BAR_FAST),
        Figure("forward, two workers", two / fast, "x", BAR_TWO_WORKERS, True),
    ]
    for which in ("forward", "backward"):
        checked = speeds[which, 1, "all"]
        name = f"{which} with all checks, one worker"
        figures.append(percentage(name, checked, yardstick, BAR_CHECKED))
    return figures


def percentage(name: str, gmac: float, yardstick: float, bar: float) -> Figure:
    """A speed in percent of the yardstick."""
    return Figure(name, 100 * gmac / yardstick, "% of numpy", bar, True)
