# SPDX-License-Identifier: MIT
"""How fast the simulator computes attention, against numpy's yardstick."""

from __future__ import annotations

import statistics

from benchmarks import numpy_yardstick
from benchmarks.figure import Figure
from benchmarks.process import answer_of

TITLE = "Simulated attention, float32, B=1 H=4 S=512 D=64, not causal"
# In percent of the yardstick.
BAR_FAST, BAR_CHECKED = 2.0, 0.67


def speed(which: str, *, workers: int, checks: str) -> dict[str, float]:
    """GMAC/s of one pass with some workers, by wall clock and processor time."""
    gmac: dict[str, float] = answer_of(
        "benchmarks.attention_speed",
        which,
        FLASH_ATTN_MPS_SIMULATOR_THREADS=str(workers),
        FLASH_ATTN_MPS_SIMULATOR_CHECKS=checks,
    )
    return gmac


def measure() -> list[Figure]:
    """What one core does is taken by processor time: the machine may be shared.

    For the same reason the yardstick is taken again between the others.
    """
    runs = (
        ("forward", 1, "none"),
        ("forward", 2, "none"),
        ("backward", 1, "none"),
        ("forward", 1, "all"),
        ("backward", 1, "all"),
    )
    yardsticks, speeds = [numpy_yardstick.measured()], {}
    for which, workers, checks in runs:
        speeds[which, workers, checks] = speed(which, workers=workers, checks=checks)
        yardsticks.append(numpy_yardstick.measured())
    yardstick = statistics.median(yardsticks)
    one, two = speeds["forward", 1, "none"], speeds["forward", 2, "none"]
    backward = speeds["backward", 1, "none"]["processor"]
    figures = [
        Figure("numpy's float32 1024^3 product, one thread", yardstick, "GMAC/s"),
        Figure("forward, one core", one["processor"], "GMAC/s"),
        Figure("backward, one core", backward, "GMAC/s"),
        percentage("forward, one core", one["processor"], yardstick, BAR_FAST),
        two_workers(one["wall"], two["wall"]),
    ]
    for which in ("forward", "backward"):
        checked = speeds[which, 1, "all"]["processor"]
        name = f"{which} with all checks, one core"
        figures.append(percentage(name, checked, yardstick, BAR_CHECKED))
    return figures


def two_workers(one: float, two: float) -> Figure:
    """How much faster two workers are by the clock on the wall."""
    return Figure("forward, two workers", two / one, "x one worker", 1.7, True)


def percentage(name: str, gmac: float, yardstick: float, bar: float) -> Figure:
    """A speed in percent of the yardstick."""
    return Figure(name, 100 * gmac / yardstick, "% of numpy", bar, True)
