# SPDX-License-Identifier: MIT
"""The yardstick of simulated speed: a float32 matrix product in numpy.

Prints GMAC/s of one thread, by processor time. Run it with one OpenBLAS thread and
OPENBLAS_CORETYPE=Haswell: what a processor selects by itself differs too much.
"""

from __future__ import annotations

import json
import time

import numpy

from benchmarks.figure import median_seconds
from benchmarks.process import answer_of

SIZE = 1024


def measured() -> float:
    """GMAC/s of numpy's float32 product of two square matrices, in a process."""
    gmac: float = answer_of(
        "benchmarks.numpy_yardstick",
        OPENBLAS_CORETYPE="Haswell",
        OPENBLAS_NUM_THREADS="1",
    )
    return gmac


def main() -> None:
    """Measures in this process."""
    generator = numpy.random.default_rng(0)
    left, right = generator.standard_normal((2, SIZE, SIZE), dtype=numpy.float32)
    seconds = median_seconds(lambda: left @ right, time.process_time)
    print(json.dumps(SIZE**3 / 1e9 / seconds))


if __name__ == "__main__":
    main()
