# SPDX-License-Identifier: MIT
"""Fault A20: query heads that share a key head, in every common ratio.

Other implementations mapped heads rightly only when the number of key heads was the
group's size, or used the query's strides for the key.
"""

from __future__ import annotations

import pytest
import torch

import flash_attn_mps
from tests.calls import run_autograd, run_operators
from tests.oracle import assert_matches_reference
from tests.problems import Shape, random_problem, scatter_in_memory

RATIOS = ((4, 2), (6, 2), (6, 3), (12, 4), (15, 5), (40, 8), (8, 1))


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("heads", RATIOS, ids=str)
def test_head_group_matches_float64_with_summed_gradients(
    heads: tuple[int, int],
    is_causal: bool,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """A20, H/H_kv as reported; batch 2 (H_kv = batch too), S_q = 17, S_k = 19.

    Nothing was shrunk: the report's lengths (T = 3) were smaller.
    """
    shape = Shape(2, heads[0], 17, 19, 24, value_head_dim=40, key_heads=heads[1])
    plain = random_problem(shape, torch.float32, device, generator)
    problem, _ = scatter_in_memory(plain, generator)
    assert_matches_reference(plain, run_operators(problem))


def test_head_group_of_the_report_matches_float64(
    device: torch.device, generator: torch.Generator
) -> None:
    """A20, H 4/2, T = 3, D = 8, through autograd."""
    shape = Shape(1, 4, 3, 3, 8, key_heads=2)
    problem = random_problem(shape, torch.float32, device, generator)
    assert_matches_reference(problem, run_autograd(problem))


def test_head_count_that_does_not_divide_is_refused(device: torch.device) -> None:
    """A20, 5 query heads on 2 key heads must raise."""
    query = torch.zeros(1, 5, 3, 8, device=device)
    key = torch.zeros(1, 2, 3, 8, device=device)
    with pytest.raises(RuntimeError, match="multiple"):
        flash_attn_mps.scaled_dot_product_attention(query, key, key, enable_gqa=True)
