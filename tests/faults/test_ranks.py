# SPDX-License-Identifier: MIT
"""Fault A15: leading dimensions other than batch and heads.

Other implementations aborted the process or read the wrong rows for inputs with
two, three or five dimensions and for leading dimensions that broadcast.
"""

from __future__ import annotations

import pytest
import torch

from tests.calls import run_autograd
from tests.oracle import Problem, assert_identical, assert_matches_reference


def _problem(
    sizes: list[tuple[int, ...]],
    dtype: torch.dtype,
    device: torch.device,
    generator: torch.Generator,
    is_causal: bool = False,
) -> Problem:
    tensors = [
        torch.randn(size, generator=generator).to(dtype).to(device) for size in sizes
    ]
    return Problem(*tensors, is_causal=is_causal)


@pytest.mark.parametrize(
    ("size", "is_causal"),
    [
        ((5, 8), False),
        ((5, 8), True),
        ((16, 16, 80), False),
        ((3, 7, 2, 49, 32), False),
        ((2, 1, 2, 1, 5, 8), True),
    ],
    ids=str,
)
def test_rank_two_to_six_matches_float64(
    size: tuple[int, ...],
    is_causal: bool,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """A15: (5, 8); (16, 16, 80); (3, 592, 4, 49, 32), shrunk to (3, 7, 2, 49, 32).

    The mask of ones in the report's second case is left out: it masks nothing.
    """
    problem = _problem([size] * 4, torch.float32, device, generator, is_causal)
    result = run_autograd(problem)
    assert result.output.shape == size
    assert_matches_reference(problem, result)


def test_rank_three_query_against_rank_four_key_broadcasts(
    device: torch.device, generator: torch.Generator
) -> None:
    """A15: q (1, 1, 64) with k = v (2, 1, 1, 64) gives (2, 1, 1, 64)."""
    sizes = [(1, 1, 64), (2, 1, 1, 64), (2, 1, 1, 64), (2, 1, 1, 64)]
    problem = _problem(sizes, torch.float32, device, generator)
    result = run_autograd(problem)
    assert result.output.shape == (2, 1, 1, 64)
    assert_identical(result.output, problem.value)
    assert_matches_reference(problem, result)


@pytest.mark.parametrize(
    "leading",
    [
        ((2, 3), (2, 3), (1, 3)),
        ((2, 3), (2, 1), (2, 1)),
        ((1, 3), (2, 3), (2, 3)),
        ((3,), (2, 3), (1, 1)),
        ((), (2, 2), (2, 2)),
        ((2, 1, 3), (4, 1), (1, 1)),
        ((2, 3), (), ()),
    ],
    ids=str,
)
def test_leading_dimensions_broadcast_with_summed_gradients(
    leading: tuple[tuple[int, ...], ...],
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """A15: each gradient has its input's shape, summed over what was expanded."""
    query, key, value = leading
    full = torch.broadcast_shapes(query, key, value)
    sizes = [(*query, 9, 24), (*key, 11, 24), (*value, 11, 40), (*full, 9, 40)]
    problem = _problem(sizes, torch.float32, device, generator)
    result = run_autograd(problem)
    assert result.output.shape == (*full, 9, 40)
    assert_matches_reference(problem, result)


def test_leading_batch_broadcasts_with_groups_of_heads(
    device: torch.device, generator: torch.Generator
) -> None:
    """A15 with A20: one key for the batch, four query heads on two key heads."""
    sizes = [(3, 4, 9, 24), (2, 11, 24), (1, 2, 11, 40), (3, 4, 9, 40)]
    tensors = [torch.randn(size, generator=generator).to(device) for size in sizes]
    problem = Problem(*tensors, enable_gqa=True)
    assert_matches_reference(problem, run_autograd(problem))
