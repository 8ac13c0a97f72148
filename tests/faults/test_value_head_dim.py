# SPDX-License-Identifier: MIT
"""Fault A16: a value whose head dimension is not that of the query.

Other implementations returned the query's head dimension or read past the value.
"""

from __future__ import annotations

import pytest
import torch

import flash_attn_mps
from tests.calls import run_autograd, run_operators
from tests.oracle import assert_matches_reference
from tests.problems import Shape, random_problem


@pytest.mark.parametrize(
    ("value_head_dim", "dtype", "is_causal"),
    [(24, torch.float32, False), (24, torch.float32, True), (48, torch.float16, False)],
)
def test_value_head_dim_differs_and_matches_float64(
    value_head_dim: int,
    dtype: torch.dtype,
    is_causal: bool,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """A16, q and k (1, 1, 16, 32), v with 24 or 48; the scale is the query's."""
    shape = Shape(1, 1, 16, 16, 32, value_head_dim=value_head_dim)
    problem = random_problem(shape, dtype, device, generator, is_causal=is_causal)
    result = run_autograd(problem)
    assert result.output.shape == (1, 1, 16, value_head_dim)
    assert result.grad_value.shape == problem.value.shape
    assert_matches_reference(problem, result)


def test_value_head_dim_of_latent_attention_matches_float64(
    device: torch.device, generator: torch.Generator
) -> None:
    """A16, 192 for query and key, 128 for the value."""
    shape = Shape(1, 2, 33, 37, 192, value_head_dim=128)
    problem = random_problem(shape, torch.bfloat16, device, generator)
    assert_matches_reference(problem, run_operators(problem))


def test_value_head_dim_beyond_the_limit_is_refused(device: torch.device) -> None:
    """A16, 576 and 512 lie beyond 256: a clear refusal, never a wrong shape."""
    query = torch.zeros(1, 1, 4, 576, device=device)
    value = torch.zeros(1, 1, 4, 512, device=device)
    with pytest.raises(NotImplementedError, match="256"):
        flash_attn_mps.scaled_dot_product_attention(query, query, value)
