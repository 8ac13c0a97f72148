# SPDX-License-Identifier: MIT
"""Nothing is written beside the results, nothing read beside the inputs.

Live tensors lie beside the memory in which results are made; views with gaps full
of NaN are the inputs.
"""

from __future__ import annotations

import math

import pytest
import torch

from tests.calls import call_backward, call_forward, run_operators
from tests.layouts import padded_rows
from tests.oracle import Problem, assert_identical, assert_matches_reference
from tests.problems import SPECIALISATIONS, Shape, random_problem, scatter_in_memory

CANARY = 123.0
PAIRS = 24


def _surround(size: torch.Size, dtype: torch.dtype, device: torch.device) -> list:
    """Live canaries with freed memory of the same size between them."""
    tensors = [
        torch.full(size, CANARY, dtype=dtype, device=device) for _ in range(2 * PAIRS)
    ]
    return tensors[::2]


def _all_alive(canaries: list[torch.Tensor]) -> bool:
    return all(bool((canary == CANARY).all()) for canary in canaries)


@pytest.mark.parametrize("dims", SPECIALISATIONS, ids=str)
def test_neighbours_of_results_stay_as_they_were(
    dims: tuple[torch.dtype, int, int],
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """Tensors of the sizes of the results lie around them and keep every bit."""
    dtype, head_dim, value_dim = dims
    shape = Shape(1, 2, 13, 35, head_dim, value_head_dim=value_dim)
    problem = random_problem(shape, dtype, device, generator)
    sizes = (problem.query, problem.key, problem.value, problem.grad_output)
    canaries = [
        canary for tensor in sizes for canary in _surround(tensor.shape, dtype, device)
    ]
    canaries += _surround(problem.query.shape[:-1], torch.float32, device)
    forward = call_forward(problem)
    gradients = call_backward(problem, *forward)
    assert _all_alive(canaries)
    assert all(bool(torch.isfinite(gradient).all()) for gradient in gradients)


@pytest.mark.parametrize("gap", [1, 3, 8])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_gaps_behind_rows_are_neither_read_nor_written(
    gap: int, dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A row's end is not a multiple of 8: what follows is NaN and stays NaN."""
    head_dim, value_dim = (5, 5) if dtype == torch.float32 else (33, 17)
    shape = Shape(2, 2, 19, 21, head_dim, value_head_dim=value_dim)
    plain = random_problem(shape, dtype, device, generator, is_causal=True)
    placed = [
        padded_rows(tensor.cpu(), device, gap)
        for tensor in (plain.query, plain.key, plain.value, plain.grad_output)
    ]
    problem = Problem(*(layout.view for layout in placed), is_causal=True)
    assert_matches_reference(plain, run_operators(problem))
    assert all(layout.gaps_hold_nan() for layout in placed)


def test_inputs_keep_every_bit(
    device: torch.device, generator: torch.Generator
) -> None:
    """Forward and backward write into none of their seven inputs."""
    plain = random_problem(
        Shape(2, 2, 19, 21, 24, value_head_dim=40), torch.float32, device, generator
    )
    problem, placed = scatter_in_memory(plain, generator)
    before = [layout.buffer.clone() for layout in placed]
    output, log_sum_exp = call_forward(problem)
    saved = output.clone(), log_sum_exp.clone()
    call_backward(problem, output, log_sum_exp)
    assert_identical(output, saved[0])
    assert_identical(log_sum_exp, saved[1])
    for layout, copy in zip(placed, before, strict=True):
        assert_identical(layout.buffer.nan_to_num(), copy.nan_to_num())


def test_rows_of_an_expanded_input_share_their_memory(
    device: torch.device, generator: torch.Generator
) -> None:
    """Stride 0 in batch, heads and rows is read as it is; the result is dense."""
    plain = random_problem(Shape(2, 2, 9, 11, 24), torch.float32, device, generator)
    problem = Problem(
        plain.query[:1].expand(2, -1, -1, -1),
        plain.key[:, :1].expand(-1, 2, -1, -1),
        plain.value[:, :, :1].expand(-1, -1, 11, -1),
        plain.grad_output[:1, :1, :1, :1].expand(2, 2, 9, 24),
    )
    assert_matches_reference(problem, run_operators(problem))


def test_poisoned_results_leave_no_nan_behind(
    device: torch.device, generator: torch.Generator
) -> None:
    """Every element of every result is written: none keeps its NaN filling."""
    for lengths in ((1, 1), (8, 8), (9, 65), (65, 9), (33, 1), (1, 33)):
        problem = random_problem(
            Shape(2, 2, *lengths, 24, value_head_dim=40),
            torch.float32,
            device,
            generator,
            is_causal=True,
        )
        result = run_operators(problem)
        for tensor in (result.output, result.log_sum_exp, result.grad_query):
            assert not bool(torch.isnan(tensor).any())
        assert bool(torch.isfinite(result.grad_key).all())
        assert bool(torch.isfinite(result.grad_value).all())
        assert not math.isnan(float(result.output.sum()))
