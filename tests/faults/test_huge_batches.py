# SPDX-License-Identifier: MIT
"""Fault A36: batch or head counts beyond 2^16.

On other devices the grid's limit failed silently or with a cryptic error.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.calls import run_operators
from tests.oracle import GRADIENTS, Result, assert_identical, assert_matches_reference
from tests.problems import Shape, random_problem

SHAPES = {
    "batch": Shape(65536, 1, 1, 1, 80),
    "heads": Shape(1, 65536, 1, 1, 16),
}


def _slice(tensor: torch.Tensor | None, keep: torch.Tensor, axis: int) -> torch.Tensor:
    return tensor.index_select(axis, keep.to(tensor.device))


@pytest.mark.usefixtures("fast_build")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_huge_batch_or_head_count_matches_float64(
    shape: Shape, device: torch.device, generator: torch.Generator
) -> None:
    """A36, (65536, 1, 16, 16, 80) and (1, 65536, 10, 10, 16) float16.

    Lengths shrunk from 16 and 10 to 1, in the fast build; the first, some middle
    and the last sample are held against float64, and all of them against their
    value (one key each).
    """
    problem = random_problem(shape, torch.float16, device, generator)
    result = run_operators(problem)
    axis = 0 if shape.batch > 1 else 1
    count = max(shape.batch, shape.heads)
    keep = torch.tensor([0, 1, 32767, 32768, 65534, count - 1])
    names = ("query", "key", "value", "grad_output")
    few = {name: _slice(getattr(problem, name), keep, axis) for name in names}
    kept = {
        name: _slice(getattr(result, name), keep, axis)
        for name in ("output", "log_sum_exp", *GRADIENTS)
    }
    assert_matches_reference(replace(problem, **few), Result(**kept))
    assert_identical(result.output, problem.value)
    assert_identical(result.grad_value, problem.grad_output)
