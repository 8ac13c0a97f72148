# SPDX-License-Identifier: MIT
"""Fault A19: head dimensions that are no multiple of 32.

Other implementations gave NaN in backward or wrote the columns beyond the head
dimension into the neighbouring row.
"""

from __future__ import annotations

import pytest
import torch

from tests.calls import run_operators
from tests.oracle import assert_matches_reference
from tests.problems import Shape, random_problem, scatter_in_memory

HEAD_DIMS = (1, 3, 8, 40, 61, 72, 80, 104, 160, 200)


@pytest.mark.parametrize("head_dim", HEAD_DIMS)
def test_odd_head_dim_matches_float64_and_leaves_neighbours_alone(
    head_dim: int, device: torch.device, generator: torch.Generator
) -> None:
    """A19, (2, 3, 77, 77, D) float16 with gradients; the head count shrunk to 1.

    The inputs are views with gaps, so that a read past a row meets NaN and a write
    past one is seen.
    """
    shape = Shape(2, 1, 77, 77, head_dim)
    plain = random_problem(shape, torch.float16, device, generator)
    problem, placed = scatter_in_memory(plain, generator)
    assert_matches_reference(plain, run_operators(problem))
    assert all(layout.gaps_hold_nan() for layout in placed)
