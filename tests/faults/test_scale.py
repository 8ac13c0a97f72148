# SPDX-License-Identifier: MIT
"""Fault A21: the scale of an earlier call, and scales of zero and below.

One implementation kept the first scale in its cached pipeline; others refuse or
mishandle a scale that is not positive.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.calls import attend, run_operators
from tests.oracle import assert_identical, assert_matches_reference
from tests.problems import Shape, random_problem

SHAPE = Shape(1, 2, 4, 4, 8)


def test_scale_of_an_earlier_call_is_not_reused(
    device: torch.device, generator: torch.Generator
) -> None:
    """A21, q (1, 2, 4, 8): default, 2.0, default again; the third is the first."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    first = attend(problem)
    second = attend(replace(problem, scale=2.0))
    third = attend(problem)
    assert not torch.equal(first, second)
    assert_identical(first, third)


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("scale", [0.0, -1.0, 1e-6, 2, -0.5, 40.0])
def test_scale_of_any_sign_matches_float64(
    scale: float, is_causal: bool, device: torch.device, generator: torch.Generator
) -> None:
    """A21, scale 0, -1, 1e-6 and a whole number; causal too, which torch gets wrong."""
    problem = random_problem(
        SHAPE, torch.float32, device, generator, is_causal=is_causal, scale=scale
    )
    assert_matches_reference(problem, run_operators(problem))


def test_scale_zero_gives_the_mean_of_the_values(
    device: torch.device, generator: torch.Generator
) -> None:
    """A21, scale 0: every key weighs the same."""
    problem = random_problem(SHAPE, torch.float32, device, generator, scale=0.0)
    mean = problem.value.mean(-2, keepdim=True).expand_as(problem.value)
    torch.testing.assert_close(attend(problem), mean, rtol=0, atol=3e-7)
