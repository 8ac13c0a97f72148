# SPDX-License-Identifier: MIT
"""Fault A26: NaN gradients with a single key or with large inputs."""

from __future__ import annotations

import torch

from tests.calls import run_operators
from tests.oracle import Problem, assert_identical, assert_matches_reference
from tests.problems import Shape, random_problem


def test_single_key_passes_the_gradient_through(device: torch.device) -> None:
    """A26, (1, 1, 1, 1, 16) float16, three times normal values, gradient 1.

    One key weighs 1, so the output is the value, exactly; the recomputed weight of
    the backward pass carries the rounding of the log-sum-exp.
    """
    torch.manual_seed(352)
    tensors = [(3 * torch.randn(1, 1, 1, 16)).half().to(device) for _ in range(3)]
    problem = Problem(*tensors, torch.ones_like(tensors[0]))
    result = run_operators(problem)
    assert_identical(result.output, problem.value)
    assert_matches_reference(problem, result)


def test_large_causal_inputs_have_finite_gradients(
    device: torch.device, generator: torch.Generator
) -> None:
    """A26, (1, 1, 1024, 1024, 128) float16, three times normal, causal.

    Length shrunk to 288.
    """
    shape = Shape(1, 1, 288, 288, 128)
    plain = random_problem(shape, torch.float16, device, generator)
    problem = Problem(
        3 * plain.query, 3 * plain.key, 3 * plain.value, plain.grad_output, True
    )
    result = run_operators(problem)
    for name in ("output", "grad_query", "grad_key", "grad_value"):
        assert bool(torch.isfinite(getattr(result, name)).all()), name
    assert_matches_reference(problem, result)
