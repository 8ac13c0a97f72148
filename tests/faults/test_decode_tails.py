# SPDX-License-Identifier: MIT
"""Fault A14: one query against key lengths that are no multiple of 32.

Other implementations were right at multiples of 32 and wrong beside them, or wrong
from a length on at which the keys are split.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from tests.calls import call_forward
from tests.oracle import Problem, Result, assert_identical, assert_matches_reference
from tests.problems import Shape, random_problem

SHORT_LENGTHS = (1, 31, 32, 33, 38, 39, 70)
LONG_LENGTHS = (1023, 1024, 1025, 4095, 4096, 4097)


def _in_a_longer_buffer(problem: Problem) -> Problem:
    """Key and value as the first rows of a cache whose other rows are NaN."""
    views = {}
    for name in ("key", "value"):
        tensor = getattr(problem, name)
        size = list(tensor.shape)
        size[-2] += 37
        cache = torch.full(size, math.nan, dtype=tensor.dtype, device=tensor.device)
        cache[..., : tensor.shape[-2], :] = tensor
        views[name] = cache[..., : tensor.shape[-2], :]
    return replace(problem, **views)


def _check(
    shape: Shape, dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    problem = random_problem(shape, dtype, device, generator)
    problem = replace(problem, grad_output=None)
    output, log_sum_exp = call_forward(_in_a_longer_buffer(problem))
    assert_matches_reference(problem, Result(output, log_sum_exp), str(shape))
    again, _ = call_forward(_in_a_longer_buffer(problem))
    assert_identical(again, output)


@pytest.mark.parametrize("head_dim", [64, 96, 128])
@pytest.mark.parametrize("group", [16, 4], ids=["16-to-1", "4-to-1"])
def test_decode_short_keys_match_float64(
    group: int, head_dim: int, device: torch.device, generator: torch.Generator
) -> None:
    """A14, bfloat16, one query, S_k = 1 to 70; the cache's tail is NaN.

    Heads shrunk from 32 to one group of the same ratio: 16/1 and 4/1.
    """
    for key_length in SHORT_LENGTHS:
        shape = Shape(1, group, 1, key_length, head_dim, key_heads=1)
        _check(shape, torch.bfloat16, device, generator)


@pytest.mark.usefixtures("fast_build")
@pytest.mark.parametrize("key_length", LONG_LENGTHS)
def test_decode_long_keys_match_float64(
    key_length: int, device: torch.device, generator: torch.Generator
) -> None:
    """A14, bfloat16, D = 128, S_k = 1023 to 4097: heads shrunk to 4/1.

    In the fast build; the short lengths run in the checked one.
    """
    shape = Shape(1, 4, 1, key_length, 128, key_heads=1)
    _check(shape, torch.bfloat16, device, generator)
