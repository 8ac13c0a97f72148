# SPDX-License-Identifier: MIT
"""Fault A35: indices that are too narrow for long sequences.

Other implementations used 16-bit columns or overflowed 32-bit products, with an
exact step at powers of two.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.calls import call_forward, run_operators
from tests.oracle import Result, assert_matches_reference
from tests.problems import Shape, random_problem

# Five to eighty million products each: too many for the checked build.
pytestmark = pytest.mark.usefixtures("fast_build")

KEY_LENGTHS = (32767, 32768, 32769, 33728, 46341, 65535, 65536, 65537)


@pytest.mark.parametrize("key_length", KEY_LENGTHS)
def test_long_key_matches_float64(
    key_length: int, device: torch.device, generator: torch.Generator
) -> None:
    """A35, S_k beside 2^15 and 2^16 and at 33728 and 46341, S_q = 8, H = 1, D = 64.

    Nothing was shrunk. One outstanding key at the very end keeps its weight visible.
    """
    problem = random_problem(
        Shape(1, 1, 8, key_length, 64), torch.float16, device, generator
    )
    problem.key[..., -1, :] = problem.query[..., 3, :]
    problem.value[..., -1, :] = 7
    problem = replace(problem, grad_output=None)
    output, log_sum_exp = call_forward(problem)
    assert_matches_reference(problem, Result(output, log_sum_exp))


@pytest.mark.parametrize("key_length", [32769, 65537])
def test_long_key_gradients_match_float64(
    key_length: int, device: torch.device, generator: torch.Generator
) -> None:
    """A35 in the backward pass, just beyond 2^15 and 2^16."""
    problem = random_problem(
        Shape(1, 1, 8, key_length, 64), torch.float16, device, generator
    )
    assert_matches_reference(problem, run_operators(problem))


@pytest.mark.parametrize("query_length", [32769, 65537])
def test_long_query_matches_float64(
    query_length: int, device: torch.device, generator: torch.Generator
) -> None:
    """A35 for rows: S_q beyond 2^15 and 2^16, causal, eight keys."""
    problem = random_problem(
        Shape(1, 1, query_length, 8, 64),
        torch.float16,
        device,
        generator,
        is_causal=True,
    )
    assert_matches_reference(problem, run_operators(problem))
