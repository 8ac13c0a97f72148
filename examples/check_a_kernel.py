# SPDX-License-Identifier: MIT
"""Runs a Metal file of one's own under all checkers and shows its result."""

import pathlib

import numpy as np

from flash_attn_mps import simulator

matrix = np.arange(1200, dtype=np.float32).reshape(12, 100)
sums = simulator.empty((12,), np.float32)
library = simulator.Library(
    pathlib.Path(__file__).with_name("row_sums.metal"), checks="all"
)
report = library.kernel("row_sums").dispatch(
    threads=(12 * 64, 1, 1),
    group=(64, 1, 1),
    buffers=[matrix, sums, np.uint32(100)],
    threadgroup_bytes=[64 * 4],
)
print("correct:", bool((sums == matrix.sum(axis=1)).all()))
print("violations:", len(report.violations))
