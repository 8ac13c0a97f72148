# SPDX-License-Identifier: MIT
"""Fault A09: half-precision causal attention that sees the future.

The mask was applied once for a group of four rows, so three of four rows saw keys
behind the diagonal; float32 was right.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.calls import call_backward, call_forward, run_operators
from tests.oracle import Problem, assert_identical, assert_matches_reference
from tests.problems import Shape, random_problem

HALF_TYPES = (torch.float16, torch.bfloat16)
LENGTHS = (61, 62, 63, 64, 65, 66, 67, 127, 128, 129, 130, 131)


def _with_other_future(problem: Problem, generator: torch.Generator) -> Problem:
    """Sample t of the batch gets other keys and values behind position t."""
    length = problem.key.shape[-2]
    is_future = torch.arange(length).view(1, 1, length, 1) > torch.arange(length).view(
        length, 1, 1, 1
    )
    is_future = is_future.to(problem.key.device)
    changed = {}
    for name in ("key", "value"):
        tensor = getattr(problem, name)
        other = 8 * torch.randn(tensor.shape[1:], generator=generator)
        other = other.to(tensor.dtype).to(tensor.device)
        changed[name] = torch.where(is_future, other, tensor)
    return replace(problem, **changed)


def _one_sample_per_position(problem: Problem) -> Problem:
    length = problem.key.shape[-2]
    tensors = {
        name: getattr(problem, name).expand(length, -1, -1, -1)
        for name in ("query", "key", "value", "grad_output")
    }
    return replace(problem, **tensors)


def _is_past(length: int, device: torch.device) -> torch.Tensor:
    """[t, 1, i, 1]: whether row i may not depend on what lies behind t."""
    positions = torch.arange(length, device=device)
    return (positions.view(1, 1, -1, 1) <= positions.view(-1, 1, 1, 1)).clone()


@pytest.mark.parametrize("dtype", HALF_TYPES, ids=str)
def test_causal_rows_match_float64_at_every_length(
    dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A09, (1, 4, S, S, 64) for S = 61 to 67 and 127 to 131, with gradients.

    Heads shrunk from 4 to 1.
    """
    for length in LENGTHS:
        shape = Shape(1, 1, length, length, 64)
        problem = random_problem(shape, dtype, device, generator, is_causal=True)
        assert_matches_reference(problem, run_operators(problem), f"S = {length}")


@pytest.mark.parametrize("dtype", HALF_TYPES, ids=str)
@pytest.mark.parametrize("length", [61, 64, 67, 131])
def test_causal_rows_do_not_change_with_later_keys(
    length: int, dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A09: for every t the rows up to t keep every bit when keys behind t change.

    Every t is one sample of the batch. Heads shrunk from 4 to 1; of the lengths
    the first, the round one and the last are taken.
    """
    shape = Shape(1, 1, length, length, 64)
    problem = random_problem(shape, dtype, device, generator, is_causal=True)
    before, _ = call_forward(problem)
    changed = _with_other_future(_one_sample_per_position(problem), generator)
    after, _ = call_forward(changed)
    is_past = _is_past(length, device)
    assert_identical(torch.where(is_past, after, 0), torch.where(is_past, before, 0))
    assert not torch.equal(after[0, 0, -1], before[0, 0, -1])


@pytest.mark.parametrize("dtype", HALF_TYPES, ids=str)
def test_causal_gradients_of_rows_do_not_change_with_later_keys(
    dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A09: the same for the gradient of the query, S = 35.

    Shrunk: length (32 + 3 instead of 64 + 3) and heads, since every t is run.
    """
    length = 35
    shape = Shape(1, 1, length, length, 64)
    problem = random_problem(shape, dtype, device, generator, is_causal=True)
    only_query = (True, False, False)
    before, *_ = call_backward(problem, *call_forward(problem), only_query)
    many = _one_sample_per_position(problem)
    changed = _with_other_future(many, generator)
    after, *_ = call_backward(changed, *call_forward(changed), only_query)
    is_past = _is_past(length, device)
    assert_identical(torch.where(is_past, after, 0), torch.where(is_past, before, 0))


@pytest.mark.parametrize("dtype", HALF_TYPES, ids=str)
def test_causal_groups_of_heads_match_float64(
    dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A09 with 16 query and 8 key heads, D = 128: heads shrunk to 4 and 2."""
    shape = Shape(1, 4, 67, 67, 128, key_heads=2)
    problem = random_problem(shape, dtype, device, generator, is_causal=True)
    assert_matches_reference(problem, run_operators(problem))
