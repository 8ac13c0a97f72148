# SPDX-License-Identifier: MIT
"""Fault A28: some inputs train, one tensor plays two parts, second derivatives.

Other implementations failed for subsets of gradients, or gave second derivatives
that were partial or zero.
"""

from __future__ import annotations

import itertools

import pytest
import torch

import flash_attn_mps
from tests.calls import attend, call_backward, call_forward, run_autograd
from tests.oracle import GRADIENTS, Problem, assert_identical, assert_matches_reference
from tests.problems import Shape, random_problem

SUBSETS = [s for s in itertools.product([True, False], repeat=3) if any(s)]
SHAPE = Shape(2, 4, 19, 33, 24, value_head_dim=40, key_heads=2)


@pytest.mark.parametrize("subset", SUBSETS, ids=str)
def test_gradient_subset_gives_the_bits_of_all_gradients(
    subset: tuple[bool, bool, bool], device: torch.device, generator: torch.Generator
) -> None:
    """A28, all 7 subsets of requires_grad; frozen inputs get None."""
    problem = random_problem(SHAPE, torch.float32, device, generator, is_causal=True)
    everything = run_autograd(problem)
    partly = run_autograd(problem, subset)
    assert_identical(partly.output, everything.output)
    for name, needed in zip(GRADIENTS, subset, strict=True):
        gradient = getattr(partly, name)
        if needed:
            assert_identical(gradient, getattr(everything, name))
        else:
            assert gradient is None


@pytest.mark.parametrize("subset", SUBSETS, ids=str)
def test_backward_operator_computes_only_what_its_mask_names(
    subset: tuple[bool, bool, bool], device: torch.device, generator: torch.Generator
) -> None:
    """A28 at the operator: None for what the mask leaves out."""
    problem = random_problem(SHAPE, torch.float16, device, generator)
    forward = call_forward(problem)
    everything = call_backward(problem, *forward)
    partly = call_backward(problem, *forward, subset)
    for gradient, full, needed in zip(partly, everything, subset, strict=True):
        if needed:
            assert_identical(gradient, full)
        else:
            assert gradient is None


def test_no_input_that_requires_grad_gives_no_graph(
    device: torch.device, generator: torch.Generator
) -> None:
    """A28, the empty subset."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    assert not attend(problem).requires_grad


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
def test_same_tensor_in_three_places_gets_the_sum_of_gradients(
    is_causal: bool, device: torch.device, generator: torch.Generator
) -> None:
    """A28, q = k = v."""
    problem = random_problem(
        Shape(1, 2, 33, 33, 64), torch.float32, device, generator, is_causal=is_causal
    )
    leaf = problem.query.clone().requires_grad_(True)
    output = attend(problem, leaf, leaf, leaf)
    (gradient,) = torch.autograd.grad(output, leaf, problem.grad_output)
    same = Problem(*[problem.query] * 3, problem.grad_output, is_causal)
    apart = run_autograd(same)
    assert_matches_reference(same, apart)
    total = apart.grad_query + apart.grad_key + apart.grad_value
    torch.testing.assert_close(gradient, total)


def test_second_derivative_raises_not_implemented(
    device: torch.device, generator: torch.Generator
) -> None:
    """A28, gradient penalty on (2, 2, 16, 16, 8): an error, never a partial result."""
    problem = random_problem(Shape(2, 2, 16, 16, 8), torch.float32, device, generator)
    leaves = [
        tensor.clone().requires_grad_(True)
        for tensor in (problem.query, problem.key, problem.value)
    ]
    output = attend(problem, *leaves)
    gradients = torch.autograd.grad(output.sum(), leaves, create_graph=True)
    penalty = sum(gradient.square().sum() for gradient in gradients)
    with pytest.raises(NotImplementedError, match="only first derivatives"):
        torch.autograd.grad(penalty, leaves)


def test_second_derivative_through_the_output_gradient_raises_too(
    device: torch.device, generator: torch.Generator
) -> None:
    """A28: only the gradient of the output requires grad; still an error."""
    problem = random_problem(Shape(1, 1, 4, 4, 8), torch.float32, device, generator)
    leaf = problem.query.clone().requires_grad_(True)
    grad_output = problem.grad_output.clone().requires_grad_(True)
    output = attend(problem, leaf)
    (gradient,) = torch.autograd.grad(output, leaf, grad_output, create_graph=True)
    with pytest.raises(NotImplementedError, match="only first derivatives"):
        torch.autograd.grad(gradient.sum(), grad_output)


def test_only_query_trains_without_the_key_value_kernel(
    device: torch.device, generator: torch.Generator
) -> None:
    """A28: a frozen key and value cost no kernel; the cache shows which were asked.

    A head dimension that no other test uses makes every kernel a miss.
    """
    shape = Shape(1, 1, 4, 4, 11, value_head_dim=13)
    problem = random_problem(shape, torch.float32, device, generator)
    before = flash_attn_mps.pipeline_cache_info().misses
    run_autograd(problem, (True, False, False))
    only_query = flash_attn_mps.pipeline_cache_info().misses - before
    run_autograd(problem)
    everything = flash_attn_mps.pipeline_cache_info().misses - before
    assert only_query < everything
