# SPDX-License-Identifier: MIT
"""Fault A29: results that differ from run to run.

Other implementations add into dQ atomically or race on threadgroup memory.
"""

from __future__ import annotations

import pytest
import torch

from tests.calls import run_operators
from tests.oracle import GRADIENTS, Problem, Result, assert_identical
from tests.problems import DTYPES, Shape, random_problem

REPEATS = 12


def _assert_same_bits(first: Result, second: Result) -> None:
    for name in ("output", "log_sum_exp", *GRADIENTS):
        a, b = getattr(first, name), getattr(second, name)
        # View as integers: NaN would compare unequal, and -0 equal to 0.
        as_bits = torch.int32 if a.element_size() == 4 else torch.int16
        assert_identical(a.view(as_bits), b.view(as_bits), name)


def _repeat(problem: Problem, device: torch.device, repeats: int) -> None:
    load = torch.randn(128, 128, device=device)
    first = run_operators(problem)
    for _ in range(repeats):
        load = load @ load / 128
        _assert_same_bits(first, run_operators(problem))


@pytest.mark.parametrize("is_deterministic", [False, True])
def test_repeated_calls_give_identical_bits(
    is_deterministic: bool, device: torch.device, generator: torch.Generator
) -> None:
    """A29, (2, 8, 515, 515, 64) causal bfloat16, 200 runs with a product in between.

    Shrunk to (1, 2, 131, 131, 64), the same remainder 3, and 12 runs in each mode.
    """
    problem = random_problem(
        Shape(1, 2, 131, 131, 64), torch.bfloat16, device, generator, is_causal=True
    )
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(is_deterministic)
    try:
        _repeat(problem, device, REPEATS)
    finally:
        torch.use_deterministic_algorithms(before)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_repeated_calls_with_groups_of_heads_give_identical_bits(
    dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A29: dK and dV are sums over the heads of a group, in one fixed order."""
    problem = random_problem(
        Shape(1, 8, 35, 67, 64, key_heads=2), dtype, device, generator
    )
    _repeat(problem, device, repeats=3)


def test_batch_of_equal_samples_gives_equal_bits(
    device: torch.device, generator: torch.Generator
) -> None:
    """A29: a sample's result does not depend on its place in the grid."""
    one = random_problem(Shape(1, 1, 67, 67, 64), torch.float32, device, generator)
    tensors = [
        tensor.expand(3, 4, -1, -1)
        for tensor in (one.query, one.key, one.value, one.grad_output)
    ]
    single, many = run_operators(one), run_operators(Problem(*tensors))
    for name in ("output", "log_sum_exp", *GRADIENTS):
        expected = getattr(single, name)
        got = getattr(many, name)
        assert_identical(got, expected.expand_as(got), name)
