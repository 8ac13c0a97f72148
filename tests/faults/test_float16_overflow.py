# SPDX-License-Identifier: MIT
"""Fault A25: logits that overflow float16 before the scale is applied.

Other implementations formed query times key in float16 and returned NaN.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from tests.calls import run_operators
from tests.oracle import Problem, Result, assert_identical, assert_matches_reference
from tests.problems import Shape, random_problem

GRADIENT_TENSORS = ("grad_query", "grad_key", "grad_value")


def test_products_beyond_float16_give_the_exact_output(device: torch.device) -> None:
    """A25, everything 256, (1, 1, 8, 8, 64): products are 4194304, output is 256.

    The gradients must be finite: a float32 log-sum-exp of 524290 leaves the
    recomputed probabilities two digits.
    """
    filled = torch.full((1, 1, 8, 64), 256.0, dtype=torch.float16, device=device)
    problem = Problem(filled, filled, filled, torch.ones_like(filled))
    result = run_operators(problem)
    assert_identical(result.output, filled)
    for name in GRADIENT_TENSORS:
        assert bool(torch.isfinite(getattr(result, name)).all()), name
    torch.testing.assert_close(
        result.grad_value, torch.ones_like(filled), rtol=0.05, atol=0
    )


def test_large_negative_query_stays_finite_and_matches_float64(
    device: torch.device, generator: torch.Generator
) -> None:
    """A25, (32, 8, 128, 128, 64), query and key times -900, value in [0, 1).

    Batch and heads shrunk to 1 and 2. The output is held against float64; the
    gradients must be finite (that of the output is scaled down so that they fit).
    """
    shape = Shape(1, 2, 128, 128, 64)
    problem = random_problem(shape, torch.float16, device, generator)
    problem = replace(
        problem,
        query=problem.query * -900,
        key=problem.key * -900,
        value=torch.rand(1, 2, 128, 64, generator=generator).half().to(device),
        grad_output=problem.grad_output / 64,
    )
    result = run_operators(problem)
    for name in GRADIENT_TENSORS:
        assert bool(torch.isfinite(getattr(result, name)).all()), name
    assert_matches_reference(problem, Result(result.output, result.log_sum_exp))
