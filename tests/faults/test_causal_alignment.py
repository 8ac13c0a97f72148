# SPDX-License-Identifier: MIT
"""Fault A10: the causal diagonal of unequal lengths starts at the top left.

A drop-in for torch's attention aligns the first row with the first key; other
implementations align the last row with the last key.
"""

from __future__ import annotations

import pytest
import torch

from tests.calls import run_operators
from tests.oracle import assert_identical, assert_matches_reference
from tests.problems import DTYPES, Shape, random_problem


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_causal_single_query_sees_only_the_first_key(
    dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A10, q (1, 4, 1, 64), k and v (1, 4, 16, 64): the output is the first value."""
    shape = Shape(1, 4, 1, 16, 64)
    problem = random_problem(shape, dtype, device, generator, is_causal=True)
    result = run_operators(problem)
    assert_identical(result.output, problem.value[:, :, :1])
    assert_matches_reference(problem, result)
    assert not bool(result.grad_value[:, :, 1:].any())
    assert not bool(result.grad_key[:, :, 1:].any())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("lengths", [(5, 2), (2, 5), (33, 70), (70, 33), (1, 3)])
def test_causal_unequal_lengths_match_float64(
    lengths: tuple[int, int],
    dtype: torch.dtype,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """A10 with S_q = 5, S_k = 2 and the reverse, and longer ones; with gradients."""
    shape = Shape(1, 2, *lengths, 64)
    problem = random_problem(shape, dtype, device, generator, is_causal=True)
    assert_matches_reference(problem, run_operators(problem))


def test_causal_long_key_matches_float64(
    device: torch.device, generator: torch.Generator
) -> None:
    """A10, (4, 12, 32, 1024, 64) float16: batch and heads shrunk to 1 and 2.

    Keys that no row sees have a gradient of exactly 0.
    """
    shape = Shape(1, 2, 32, 1024, 64)
    problem = random_problem(shape, torch.float16, device, generator, is_causal=True)
    result = run_operators(problem)
    assert_matches_reference(problem, result)
    assert not bool(result.grad_key[:, :, 32:].any())
    assert not bool(result.grad_value[:, :, 32:].any())
