# SPDX-License-Identifier: MIT
"""Errors against float64, as a part of what the error rule allows.

The rule and the reference are those of the tests (tests/oracle.py).
"""

from __future__ import annotations

import torch

from benchmarks.figure import Figure
from tests.calls import run_operators
from tests.oracle import compare
from tests.problems import Shape, random_problem

TITLE = "Error against float64 over the error allowed, worst of four problems"
# Long and short, grouped heads, odd head dimensions.
SHAPES = (
    Shape(1, 2, 257, 300, 64),
    Shape(2, 4, 65, 130, 33, 17, key_heads=2),
)
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def worst_ratios(dtype: torch.dtype) -> dict[str, float]:
    """The worst error over its bound, for each tensor that attention returns."""
    generator = torch.Generator().manual_seed(0)
    device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    worst: dict[str, float] = {}
    for shape in SHAPES:
        for is_causal in (False, True):
            problem = random_problem(
                shape, dtype, device, generator, is_causal=is_causal
            )
            for comparison in compare(problem, run_operators(problem)):
                ratio = comparison.error / comparison.bound
                worst[comparison.name] = max(worst.get(comparison.name, 0.0), ratio)
    return worst


def measure() -> list[Figure]:
    """One figure for each dtype and tensor."""
    return [
        Figure(f"{str(dtype).removeprefix('torch.')}, {name}", ratio, "", 1.0)
        for dtype in DTYPES
        for name, ratio in worst_ratios(dtype).items()
    ]
