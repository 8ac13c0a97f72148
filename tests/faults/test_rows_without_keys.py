# SPDX-License-Identifier: MIT
"""Fault A01, rows that see no key, in the form that needs no mask: no key at all.

Other implementations gave NaN, and only in one of the two gradient modes.
"""

from __future__ import annotations

import math

import pytest
import torch

from tests.calls import attend, call_forward, run_autograd, run_operators
from tests.oracle import assert_identical
from tests.problems import DTYPES, Shape, random_problem


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_row_without_keys_gives_exact_zeros_in_both_grad_modes(
    dtype: torch.dtype,
    is_causal: bool,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """A01 with S_k = 0: output 0, log-sum-exp -inf, gradient of the query 0.

    Nothing was shrunk: (1, 1, 2, 0, 4) and (2, 1, 4, 0, 4).
    """
    for shape in (Shape(1, 1, 2, 0, 4), Shape(2, 1, 4, 0, 4)):
        problem = random_problem(shape, dtype, device, generator, is_causal=is_causal)
        zeros = torch.zeros_like(problem.query)
        result = run_autograd(problem)
        assert_identical(result.output, zeros)
        assert_identical(result.grad_query, zeros)
        assert result.grad_key.shape == problem.key.shape
        assert result.grad_value.shape == problem.value.shape
        with torch.no_grad():
            assert_identical(attend(problem), zeros)
        _, log_sum_exp = call_forward(problem)
        assert bool((log_sum_exp == -math.inf).all())


def test_row_without_keys_gives_zeros_from_the_operators(
    device: torch.device, generator: torch.Generator
) -> None:
    """A01: the backward operator called directly writes the zeros itself."""
    problem = random_problem(Shape(2, 4, 3, 0, 8), torch.float32, device, generator)
    result = run_operators(problem)
    assert_identical(result.output, torch.zeros_like(problem.query))
    assert_identical(result.grad_query, torch.zeros_like(problem.query))
