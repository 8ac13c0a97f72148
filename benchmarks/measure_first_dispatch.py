# SPDX-License-Identifier: MIT
"""What a user waits for the first kernel, without and with the disk's cache."""

from __future__ import annotations

import statistics
import tempfile

from benchmarks.figure import REPEATS, Figure
from benchmarks.process import answer_of

TITLE = "First dispatch of one kernel in a process (float32, D=64)"


def seconds_with_cache(folder: str) -> float:
    """Seconds of the first dispatch of a new process with this cache folder."""
    seconds: float = answer_of(
        "benchmarks.first_dispatch",
        FLASH_ATTN_MPS_CACHE_DIR=folder,
        FLASH_ATTN_MPS_SIMULATOR_CHECKS="none",
    )
    return seconds


def measure() -> list[Figure]:
    """Two processes share a new folder, several times."""
    cold, warm = [], []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(seconds_with_cache(folder))
            warm.append(seconds_with_cache(folder))
    return [
        Figure("empty cache folder", statistics.median(cold), "s", 2.0),
        Figure("warm cache folder", 1000 * statistics.median(warm), "ms", 100.0),
    ]
