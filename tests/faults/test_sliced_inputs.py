# SPDX-License-Identifier: MIT
"""Fault A17: gradients of slices, shared storage and odd offsets.

Other implementations ignored the storage offset or the row stride of a view.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from tests.calls import attend, run_autograd
from tests.oracle import GRADIENTS, Problem, assert_identical, assert_matches_reference
from tests.problems import DTYPES, Shape, random_problem

CUTS = {
    "without the last 128": lambda t: t[:, :, :-128],
    "without the first 128": lambda t: t[:, :, 128:],
    "every second": lambda t: t[:, :, ::2],
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS.keys())
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_sliced_key_and_value_get_the_gradients_of_clones(
    cut: Callable[[torch.Tensor], torch.Tensor],
    dtype: torch.dtype,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """A17, Q, K, V (1, 16, 4096, 64): shrunk to (1, 2, 200, 64), offsets kept.

    Gradients land in the slice; the rest of the leaf's gradient is exactly 0.
    """
    shape = Shape(1, 2, 40, 200, 64)
    problem = random_problem(shape, dtype, device, generator)
    leaves = [
        tensor.clone().requires_grad_(True) for tensor in (problem.key, problem.value)
    ]
    output = attend(problem, problem.query, cut(leaves[0]), cut(leaves[1]))
    gradients = torch.autograd.grad(output, leaves, problem.grad_output)
    cloned = replace(
        problem, key=cut(problem.key).clone(), value=cut(problem.value).clone()
    )
    expected = run_autograd(cloned)
    assert_identical(output, expected.output)
    is_used = cut(torch.ones(1, 1, 200, 1)).new_zeros(1, 1, 200, 1).to(device)
    cut(is_used).fill_(1)
    for gradient, name in zip(gradients, GRADIENTS[1:], strict=True):
        assert_identical(cut(gradient), getattr(expected, name))
        assert not bool((gradient * (1 - is_used)).any())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_packed_query_key_value_get_the_gradients_of_clones(
    dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A17, one tensor (B, S, 3, H, D) unbound: offsets 0, H*D and 2*H*D."""
    packed = torch.randn(2, 19, 3, 2, 64, generator=generator).to(dtype).to(device)
    grad_output = torch.randn(2, 2, 19, 64, generator=generator).to(dtype).to(device)
    leaf = packed.clone().requires_grad_(True)
    views = [part.transpose(1, 2) for part in leaf.unbind(2)]
    problem = Problem(
        *(part.transpose(1, 2).clone() for part in packed.unbind(2)), grad_output
    )
    output = attend(problem, *views)
    (gradient,) = torch.autograd.grad(output, leaf, grad_output)
    expected = run_autograd(problem)
    assert_identical(output, expected.output)
    assert_matches_reference(problem, expected)
    for part, name in zip(gradient.unbind(2), GRADIENTS, strict=True):
        assert_identical(part.transpose(1, 2), getattr(expected, name))


def test_odd_element_offset_gives_the_bits_of_clones(
    device: torch.device, generator: torch.Generator
) -> None:
    """A17, float16 at `buffer[1:]`: the byte offset is 2 modulo 4."""
    size = (1, 2, 33, 64)
    count = 2 * 33 * 64
    tensors = []
    for _ in range(4):
        buffer = torch.randn(count + 1, generator=generator).half().to(device)
        tensors.append(buffer[1:].view(size))
    assert all(tensor.data_ptr() % 4 == 2 for tensor in tensors)
    problem = Problem(*tensors, is_causal=True)
    expected = run_autograd(Problem(*(t.clone() for t in tensors), is_causal=True))
    result = run_autograd(problem)
    for name in ("output", *GRADIENTS):
        assert_identical(getattr(result, name), getattr(expected, name))
