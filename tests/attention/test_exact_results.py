# SPDX-License-Identifier: MIT
"""Inputs for which every sum and product is exact, compared bit for bit.

They catch what a tolerance hides: a mask that is off by one, a tail that is read,
two strides swapped, a wrong head, a lost sign. Lengths are small, so that the whole
file takes seconds.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.calls import run_operators
from tests.layouts import heads_inside_rows, padded_rows
from tests.oracle import Problem, Result, assert_identical, reference
from tests.problems import Shape, integer_problem, scatter_in_memory

# Digits 0 to 10: their squares fit the 8 significant bits of bfloat16.
BASE = 11
CODE_DIMS = 6
# Logits of keys that a row must not weigh are at most -SCALE * GAP = -128: far
# below what float32 can hold after exp.
SCALE = 0.5
GAP = 256.0

SHAPES = (
    Shape(1, 1, 8, 8, 64),
    Shape(2, 2, 37, 53, 64),
    Shape(1, 2, 64, 64, 64),
    Shape(1, 2, 70, 131, 64),
    Shape(2, 4, 33, 65, 64, key_heads=2),
    Shape(1, 6, 129, 31, 64, key_heads=1),
    Shape(3, 2, 1, 65, 64),
)
HEAD_DIMS = (
    (torch.float32, 64, 64),
    (torch.float32, 24, 40),
    (torch.float16, 33, 17),
    (torch.float16, 64, 64),
    (torch.bfloat16, 128, 128),
    (torch.bfloat16, 7, 96),
)


def _codes(shape: Shape) -> torch.Tensor:
    """Code of each key: two keys a code, far apart, so that they share no block."""
    return torch.arange(shape.key_length) % ((shape.key_length + 1) // 2)


def _encode_queries(codes: torch.Tensor) -> torch.Tensor:
    """Six columns whose product with a key's is -GAP * distance^2 of the codes."""
    columns = []
    for digit in (codes // BASE, codes % BASE):
        a = digit.float()
        columns += [-torch.ones_like(a), 2 * a, -a * a]
    return torch.stack(columns, -1) * 16


def _encode_keys(codes: torch.Tensor) -> torch.Tensor:
    columns = []
    for digit in (codes // BASE, codes % BASE):
        b = digit.float()
        columns += [b * b, b, torch.ones_like(b)]
    return torch.stack(columns, -1) * (GAP / 16)


def selection_problem(
    shape: Shape,
    dtype: torch.dtype,
    device: torch.device,
    generator: torch.Generator,
    is_causal: bool,
) -> Problem:
    """Each query weighs one or two keys, equally, and every other key by 0.

    Dimensions behind the code are integers in the query or in the key, never in
    both, so that they leave the logits alone and fill the gradients.
    """
    problem = integer_problem(
        shape, dtype, torch.device("cpu"), generator, is_causal=is_causal, scale=SCALE
    )
    codes = _codes(shape)
    size = (shape.batch, shape.heads, shape.query_length)
    picked = torch.randint(shape.key_length, size, generator=generator)
    if is_causal:
        # Top-left: row i sees the keys 0..i, so it picks one of them.
        picked %= (torch.arange(shape.query_length) + 1).clamp(max=shape.key_length)
    problem.query[..., 1::2] = 0
    problem.key[..., 0::2] = 0
    problem.query[..., :CODE_DIMS] = _encode_queries(codes[picked]).to(dtype)
    problem.key[..., :CODE_DIMS] = _encode_keys(codes).to(dtype)
    return problem.to(device)


def assert_exact(ours: Result, exact: Result, dtype: torch.dtype) -> None:
    """Compare every element with the exact result, rounded once to the type."""
    for name in ("output", "grad_query", "grad_key", "grad_value"):
        assert_identical(getattr(ours, name), getattr(exact, name).to(dtype), name)
    assert_identical(ours.log_sum_exp, exact.log_sum_exp.float(), "log_sum_exp")


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("dims", HEAD_DIMS, ids=str)
def test_selected_keys_give_exact_output_and_gradients(
    dims: tuple[torch.dtype, int, int],
    is_causal: bool,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """Ragged lengths, groups of heads, both masks: every bit is right."""
    dtype, head_dim, value_head_dim = dims
    for shape in SHAPES:
        shape = replace(shape, head_dim=head_dim, value_head_dim=value_head_dim)
        problem = selection_problem(shape, dtype, device, generator, is_causal)
        assert_exact(run_operators(problem), reference(problem), dtype)


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_selected_keys_give_exact_results_at_any_strides(
    dtype: torch.dtype,
    is_causal: bool,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """Permuted, padded and shifted inputs: the same bits, and no gap is written."""
    for shape in SHAPES[1:6]:
        plain = selection_problem(shape, dtype, device, generator, is_causal)
        problem, placed = scatter_in_memory(plain, generator)
        assert_exact(run_operators(problem), reference(plain), dtype)
        assert all(layout.gaps_hold_nan() for layout in placed)


def test_rows_with_a_gap_and_heads_inside_rows_give_exact_results(
    device: torch.device, generator: torch.Generator
) -> None:
    """Two common layouts: rows padded to 80, and [B, S, H, D] memory order."""
    shape = Shape(2, 3, 37, 53, 64)
    plain = selection_problem(shape, torch.float16, device, generator, True)
    names = ("query", "key", "value", "grad_output")
    for layout in (
        lambda values: padded_rows(values, device, 16),
        lambda values: heads_inside_rows(values, device),
    ):
        views = {name: layout(getattr(plain, name).cpu()).view for name in names}
        problem = replace(plain, **views)
        assert_exact(run_operators(problem), reference(plain), torch.float16)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_equal_logits_average_a_power_of_two_of_keys_exactly(
    dtype: torch.dtype, device: torch.device, generator: torch.Generator
) -> None:
    """A zero query weighs each of 2^n keys by exactly 2^-n."""
    for key_length in (1, 2, 16, 64, 256):
        shape = Shape(1, 2, 9, key_length, 64)
        problem = integer_problem(shape, dtype, device, generator)
        problem.query.zero_()
        ours = run_operators(problem)
        mean = problem.value.double().sum(-2, keepdim=True) / key_length
        assert_identical(ours.output, mean.to(dtype).expand_as(ours.output))
        share = problem.grad_output.double().sum(-2, keepdim=True) / key_length
        assert_identical(ours.grad_value, share.to(dtype).expand_as(ours.grad_value))
        assert_identical(ours.grad_key, torch.zeros_like(problem.key))


def test_baseline_of_the_selection_weighs_one_or_two_keys(
    generator: torch.Generator,
) -> None:
    """The construction itself: probabilities are 0, 1/2 and 1 in float64."""
    shape = Shape(1, 2, 70, 131, 64)
    problem = selection_problem(
        shape, torch.float32, torch.device("cpu"), generator, True
    )
    logits = SCALE * (problem.query.double() @ problem.key.double().mT)
    allowed = torch.ones(70, 131, dtype=torch.bool).tril()
    assert bool((logits <= 0).all())
    selected = (logits == 0) & allowed
    assert set(selected.sum(-1).unique().tolist()) == {1, 2}
    assert bool((logits[~(logits == 0)] <= -SCALE * GAP).all())
    assert bool((reference(problem).grad_query != 0).any())
