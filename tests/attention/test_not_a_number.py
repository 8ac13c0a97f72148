# SPDX-License-Identifier: MIT
"""NaN and infinity in the inputs: rows that use them show it, other rows do not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from tests.calls import call_forward, run_operators
from tests.oracle import assert_identical
from tests.problems import Shape, random_problem


def test_nan_in_one_query_row_spoils_that_row_alone(
    device: torch.device, generator: torch.Generator
) -> None:
    """(1, 1, 4, 16, 64): row 0 is NaN in all 64 columns, rows 1 to 3 are finite."""
    problem = random_problem(Shape(1, 1, 4, 16, 64), torch.float32, device, generator)
    problem.query[0, 0, 0, 0] = math.nan
    output, log_sum_exp = call_forward(problem)
    assert bool(torch.isnan(output[0, 0, 0]).all())
    assert bool(torch.isfinite(output[0, 0, 1:]).all())
    assert torch.isnan(log_sum_exp[0, 0]).tolist() == [True, False, False, False]


def test_nan_in_one_query_row_leaves_the_other_gradients_of_rows_alone(
    device: torch.device, generator: torch.Generator
) -> None:
    """The gradient of the query: NaN in row 0 only; key and value all NaN."""
    problem = random_problem(Shape(1, 1, 4, 16, 64), torch.float32, device, generator)
    problem.query[0, 0, 0, 0] = math.nan
    result = run_operators(problem)
    assert bool(torch.isnan(result.grad_query[0, 0, 0]).all())
    assert bool(torch.isfinite(result.grad_query[0, 0, 1:]).all())
    assert bool(torch.isnan(result.grad_key).all())
    assert bool(torch.isnan(result.grad_value).all())


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_bad_key_behind_the_diagonal_never_matters(
    bad: float, device: torch.device, generator: torch.Generator
) -> None:
    """The logit of a hidden key is replaced, not added to: rows before keep bits."""
    problem = random_problem(
        Shape(1, 1, 70, 70, 64), torch.float16, device, generator, is_causal=True
    )
    before, _ = call_forward(problem)
    key = problem.key.clone()
    key[0, 0, 40, 5] = bad
    after, _ = call_forward(replace(problem, key=key))
    assert_identical(after[:, :, :40], before[:, :, :40])
    if math.isnan(bad):
        assert bool(torch.isnan(after[:, :, 40:]).all())


def test_nan_in_a_value_column_spoils_that_column(
    device: torch.device, generator: torch.Generator
) -> None:
    """Each output column is a sum over its own value column."""
    problem = random_problem(Shape(1, 1, 9, 16, 64), torch.float32, device, generator)
    problem.value[0, 0, 3, 7] = math.nan
    output, log_sum_exp = call_forward(problem)
    is_spoiled = torch.zeros(64, dtype=torch.bool)
    is_spoiled[7] = True
    assert bool((torch.isnan(output.cpu()) == is_spoiled).all())
    assert bool(torch.isfinite(log_sum_exp).all())


def test_infinite_logit_is_nan_as_in_the_reference(
    device: torch.device, generator: torch.Generator
) -> None:
    """An infinite key gives +inf - inf in every row with a positive product."""
    problem = random_problem(Shape(1, 1, 3, 4, 8), torch.float32, device, generator)
    problem.key[0, 0, 1, :] = math.inf
    problem.query.abs_()
    output, _ = call_forward(problem)
    assert bool(torch.isnan(output).all())
