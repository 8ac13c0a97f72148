# SPDX-License-Identifier: MIT
"""Fault A13: a transposed query in the path for short queries.

Inputs made by `x.view(B, S, H, D).transpose(1, 2)` gave wrong results for short
sequences, also with more than one sample.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.calls import call_forward, run_autograd
from tests.oracle import Problem, assert_identical
from tests.problems import Shape, random_problem

INPUTS = ("query", "key", "value")


def _transposed(problem: Problem) -> Problem:
    """The same values in the memory order [B, S, H, D]."""
    views = {
        name: getattr(problem, name).transpose(1, 2).contiguous().transpose(1, 2)
        for name in INPUTS
    }
    return replace(problem, **views)


@pytest.mark.parametrize("head_dim", [64, 96, 128])
@pytest.mark.parametrize("batch", [1, 2])
def test_transposed_short_query_gives_the_bits_of_the_contiguous_one(
    batch: int, head_dim: int, device: torch.device, generator: torch.Generator
) -> None:
    """A13, S = 1 to 9, H = 12 shrunk to 3, D in {64, 96, 128}, float16."""
    for length in range(1, 10):
        shape = Shape(batch, 3, length, length, head_dim)
        problem = random_problem(shape, torch.float16, device, generator)
        expected, expected_lse = call_forward(problem)
        output, log_sum_exp = call_forward(_transposed(problem))
        assert output.shape == expected.shape
        assert_identical(output, expected)
        assert_identical(log_sum_exp, expected_lse)


def test_transposed_inputs_give_the_gradients_of_the_contiguous_ones(
    device: torch.device, generator: torch.Generator
) -> None:
    """A13 in the backward pass: gradients of three heads, S = 9 and S = 1."""
    for length in (1, 9):
        shape = Shape(2, 3, length, length, 64)
        problem = random_problem(shape, torch.float16, device, generator)
        expected = run_autograd(problem)
        result = run_autograd(_transposed(problem))
        for name in INPUTS:
            gradient = getattr(result, f"grad_{name}")
            assert_identical(gradient, getattr(expected, f"grad_{name}"))
