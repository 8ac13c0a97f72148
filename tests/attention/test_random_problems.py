# SPDX-License-Identifier: MIT
"""Hundreds of small random problems held against float64 by the error rule.

Sizes, masking, groups of heads, scale and memory layout are drawn from a printed
seed; types and head dims come from the list that the tests share.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.calls import run_operators
from tests.oracle import Problem, assert_matches_reference
from tests.problems import SPECIALISATIONS, Shape, random_problem, scatter_in_memory

PROBLEMS_PER_SPECIALISATION = 16


def _draw(generator: torch.Generator, low: int, high: int) -> int:
    return int(torch.randint(low, high + 1, (), generator=generator))


def _draw_length(generator: torch.Generator) -> int:
    """Mostly small; sometimes just beside a multiple of 32."""
    if _draw(generator, 0, 2) == 0:
        return 32 * _draw(generator, 1, 3) + _draw(generator, -1, 1)
    return _draw(generator, 1, 40)


def _draw_shape(generator: torch.Generator, head_dim: int, value_dim: int) -> Shape:
    key_heads = _draw(generator, 1, 2)
    return Shape(
        batch=_draw(generator, 1, 2),
        heads=key_heads * _draw(generator, 1, 3),
        query_length=_draw_length(generator),
        key_length=_draw_length(generator),
        head_dim=head_dim,
        value_head_dim=value_dim,
        key_heads=key_heads,
    )


def _draw_scale(generator: torch.Generator) -> float | None:
    return (None, None, 0.3, 1.0, -0.2, 0.0)[_draw(generator, 0, 5)]


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("dims", SPECIALISATIONS, ids=str)
def test_random_problems_match_float64(
    dims: tuple[torch.dtype, int, int],
    is_causal: bool,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """Output, log-sum-exp and three gradients of each; gaps stay untouched."""
    dtype, head_dim, value_dim = dims
    for index in range(PROBLEMS_PER_SPECIALISATION):
        shape = _draw_shape(generator, head_dim, value_dim)
        plain = random_problem(shape, dtype, device, generator)
        plain = replace(plain, is_causal=is_causal, scale=_draw_scale(generator))
        problem, placed = scatter_in_memory(plain, generator)
        label = f"problem {index}: {shape} scale {plain.scale} {_strides(problem)}"
        assert_matches_reference(plain, run_operators(problem), label)
        assert all(layout.gaps_hold_nan() for layout in placed), label


def _strides(problem: Problem) -> str:
    tensors = (problem.query, problem.key, problem.value, problem.grad_output)
    return " ".join(f"{t.stride()}+{t.storage_offset()}" for t in tensors)
