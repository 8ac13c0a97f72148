# SPDX-License-Identifier: MIT
"""Fault A18: a dimension of zero.

Other implementations aborted the process (a modulo by zero heads, an empty buffer
bound) or wrote out of bounds.
"""

from __future__ import annotations

import math

import pytest
import torch

from tests.calls import call_forward, run_autograd, run_operators
from tests.oracle import GRADIENTS, assert_identical
from tests.problems import Shape, random_problem

EMPTY = {
    "no batch": Shape(0, 4, 3, 5, 8),
    "no heads": Shape(2, 0, 3, 5, 8),
    "no queries": Shape(2, 4, 0, 5, 8),
    "no keys": Shape(2, 4, 3, 0, 8),
    "no keys and no queries": Shape(2, 4, 0, 0, 8),
    "no value columns": Shape(2, 4, 3, 5, 8, value_head_dim=0),
}


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("shape", EMPTY.values(), ids=EMPTY.keys())
def test_empty_dimension_gives_zero_gradients_of_the_right_shape(
    shape: Shape, is_causal: bool, device: torch.device, generator: torch.Generator
) -> None:
    """A18, B = 0, H = 0, S_q = 0, S_k = 0 or D_v = 0, with backward.

    Whichever of them is empty, no gradient can be anything but 0.
    """
    problem = random_problem(
        shape, torch.float32, device, generator, is_causal=is_causal
    )
    for result in (run_autograd(problem), run_operators(problem)):
        assert result.output.shape == problem.grad_output.shape
        assert not bool(result.output.any())
        for name in GRADIENTS:
            gradient = getattr(result, name)
            assert gradient.shape == getattr(problem, name.removeprefix("grad_")).shape
            assert not bool(gradient.any())


def test_no_heads_with_groups_is_empty(
    device: torch.device, generator: torch.Generator
) -> None:
    """A18, H = 0 with enable_gqa: torch refuses or returns empty, we return empty."""
    problem = random_problem(
        Shape(2, 0, 3, 5, 8), torch.float32, device, generator, enable_gqa=True
    )
    result = run_autograd(problem)
    assert result.output.shape == (2, 0, 3, 8)
    assert result.grad_key.shape == (2, 0, 5, 8)


def test_no_keys_gives_zeros_and_minus_infinity(
    device: torch.device, generator: torch.Generator
) -> None:
    """A18, S_k = 0 with q (2, 4, 3, 8): zeros, and -inf as log-sum-exp."""
    problem = random_problem(Shape(2, 4, 3, 0, 8), torch.float16, device, generator)
    output, log_sum_exp = call_forward(problem)
    assert_identical(output, torch.zeros_like(problem.query))
    assert_identical(
        log_sum_exp.cpu(), torch.full((2, 4, 3), -math.inf, dtype=torch.float32)
    )


def test_no_value_columns_keep_the_log_sum_exp(
    device: torch.device, generator: torch.Generator
) -> None:
    """A18, D_v = 0: the logits exist, so their log-sum-exp does too."""
    shape = Shape(2, 4, 3, 5, 8, value_head_dim=0)
    problem = random_problem(shape, torch.float32, device, generator)
    output, log_sum_exp = call_forward(problem)
    assert output.shape == (2, 4, 3, 0)
    logits = problem.query.cpu().double() @ problem.key.cpu().double().mT / math.sqrt(8)
    torch.testing.assert_close(log_sum_exp.cpu(), logits.logsumexp(-1).float())


def test_query_of_no_columns_is_refused(device: torch.device) -> None:
    """A18, D = 0: without a column there is no default scale; a clear refusal."""
    query = torch.zeros(1, 1, 2, 0, device=device)
    value = torch.zeros(1, 1, 2, 4, device=device)
    with pytest.raises((RuntimeError, NotImplementedError), match="head"):
        torch.ops.flash_attn_mps.forward(query, query, value, False, None, False)


def test_memory_of_results_without_a_kernel_can_be_used_again(
    device: torch.device, generator: torch.Generator
) -> None:
    """A18: what was filled without a kernel is no unwritten memory afterwards.

    Inputs of the next call lie where the results of the empty one lay.
    """
    empty = random_problem(Shape(2, 4, 3, 0, 8), torch.float32, device, generator)
    for _ in range(8):
        result = run_operators(empty)
        addresses = {result.output.data_ptr(), result.grad_query.data_ptr()}
        del result
        full = random_problem(Shape(2, 4, 3, 3, 8), torch.float32, device, generator)
        addresses &= {tensor.data_ptr() for tensor in (full.query, full.key)}
        assert bool(torch.isfinite(run_operators(full).output).all()), addresses
