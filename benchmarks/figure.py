# SPDX-License-Identifier: MIT
"""A measured figure with its bar, and the file that a measurement leaves.

How anything is measured is the business of the measure_*.py modules.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
REPEATS = 5


@dataclass(frozen=True)
class Figure:
    """One row of the table of figures."""

    name: str
    value: float
    unit: str
    bar: float | None = None  # None: shown for orientation, nothing is promised
    bar_is_minimum: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the value reaches its bar."""
        if self.bar is None:
            return True
        if self.bar_is_minimum:
            return self.value >= self.bar
        return self.value <= self.bar


Clock = Callable[[], float]


def median_seconds(
    action: Callable[[], object], clock: Clock = time.perf_counter
) -> float:
    """Median time of some runs by a clock, after one run that does not count."""
    action()
    times = []
    for _ in range(REPEATS):
        start = clock()
        action()
        times.append(clock() - start)
    return statistics.median(times)


def installed_version(distribution: str) -> str:
    """Version of an installed distribution."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def processor_name() -> str:
    """What the system calls its processor."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine() -> dict[str, str]:
    """Where the figures come from."""
    return {
        "processor": processor_name(),
        "processors": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": installed_version("torch"),
        "numpy": installed_version("numpy"),
        "ziglang": installed_version("ziglang"),
    }


def write_result(name: str, title: str, figures: list[Figure]) -> Path:
    """Writes results/<name>.json, which the documents are rendered from."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    content = {
        "title": title,
        "machine": machine(),
        "figures": [asdict(figure) for figure in figures],
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="ascii")
    return path


def read_result(path: Path) -> tuple[str, dict[str, str], list[Figure]]:
    """Title, machine and figures of a result file."""
    content = json.loads(path.read_text(encoding="ascii"))
    figures = [Figure(**figure) for figure in content["figures"]]
    return content["title"], content["machine"], figures
