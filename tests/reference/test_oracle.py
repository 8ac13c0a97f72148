# SPDX-License-Identifier: MIT
"""The reference, the baseline and the error rule are themselves put to the test.

No kernel of the package runs here; torch's float64 attention and finite
differences are what the reference is held against.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from flash_attn_mps.reference import reference_attention
from tests.oracle import (
    Problem,
    Result,
    assert_matches_reference,
    compare,
    naive,
    reference,
    unavoidable_error,
)
from tests.problems import DTYPES, Shape, random_problem

CPU = torch.device("cpu")
SHAPES = (
    Shape(2, 3, 5, 7, 4),
    Shape(1, 4, 9, 9, 8, value_head_dim=3, key_heads=2),
    Shape(1, 1, 1, 1, 16),
    Shape(1, 2, 6, 3, 5, value_head_dim=11),
)


def torch_attention(
    problem: Problem, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
) -> torch.Tensor:
    """Call torch's own attention with the problem's options."""
    return torch.nn.functional.scaled_dot_product_attention(
        query,
        key,
        value,
        is_causal=problem.is_causal,
        scale=problem.scale,
        enable_gqa=problem.enable_gqa,
    )


def with_autograd(
    problem: Problem, attention: Callable[..., torch.Tensor]
) -> tuple[torch.Tensor, ...]:
    """Output and gradients of any attention function."""
    leaves = [
        tensor.detach().requires_grad_(True)
        for tensor in (problem.query, problem.key, problem.value)
    ]
    output = attention(problem, *leaves)
    return output, *torch.autograd.grad(output, leaves, problem.grad_output)


def results_of(result: Result) -> tuple[torch.Tensor | None, ...]:
    """The same four tensors of a Result."""
    return (result.output, result.grad_query, result.grad_key, result.grad_value)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reference_float64_agrees_with_torch(
    shape: Shape, is_causal: bool, generator: torch.Generator
) -> None:
    """Output and gradients are those of torch's attention in float64."""
    problem = random_problem(
        shape, torch.float64, CPU, generator, is_causal=is_causal, scale=0.4
    )
    expected = with_autograd(problem, torch_attention)
    for ours, theirs in zip(results_of(reference(problem)), expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reference_agrees_with_the_packages_definition(
    shape: Shape, is_causal: bool, generator: torch.Generator
) -> None:
    """The package's own definition in float64 gives the same four tensors."""
    problem = random_problem(
        shape, torch.float64, CPU, generator, is_causal=is_causal, scale=-1.5
    )

    def defined(problem: Problem, *tensors: torch.Tensor) -> torch.Tensor:
        output, log_sum_exp = reference_attention(
            *tensors,
            is_causal=problem.is_causal,
            scale=problem.scale,
            enable_gqa=problem.enable_gqa,
        )
        torch.testing.assert_close(reference(problem).log_sum_exp, log_sum_exp)
        return output

    expected = with_autograd(problem, defined)
    for ours, theirs in zip(results_of(reference(problem)), expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize("is_causal", [False, True])
def test_reference_gradients_agree_with_finite_differences(
    name: str, is_causal: bool, generator: torch.Generator
) -> None:
    """Central differences of sum(output * grad_output) give each gradient."""
    shape = Shape(1, 2, 3, 4, 3, value_head_dim=2, key_heads=1)
    problem = random_problem(shape, torch.float64, CPU, generator, is_causal=is_causal)
    step = 1e-5

    def objective(moved: Problem) -> float:
        return float((reference(moved).output * problem.grad_output).sum())

    tensor = getattr(problem, name)
    gradient = getattr(reference(problem), f"grad_{name}")
    for index in range(tensor.numel()):
        moved = torch.zeros(tensor.numel(), dtype=torch.float64)
        moved[index] = step
        above = replace(problem, **{name: tensor + moved.view_as(tensor)})
        below = replace(problem, **{name: tensor - moved.view_as(tensor)})
        difference = (objective(above) - objective(below)) / (2 * step)
        assert difference == pytest.approx(float(gradient.flatten()[index]), abs=1e-8)


def test_reference_row_without_keys_gives_zero_and_minus_infinity() -> None:
    """No key at all: output 0, log-sum-exp -inf, gradient of the query 0."""
    problem = Problem(
        torch.ones(2, 4, 3, 8),
        torch.ones(2, 4, 0, 8),
        torch.ones(2, 4, 0, 8),
        torch.ones(2, 4, 3, 8),
    )
    result = reference(problem)
    assert torch.equal(result.output, torch.zeros(2, 4, 3, 8, dtype=torch.float64))
    assert bool((result.log_sum_exp == -math.inf).all())
    assert torch.equal(result.grad_query, torch.zeros(2, 4, 3, 8, dtype=torch.float64))
    assert result.grad_key.shape == (2, 4, 0, 8)


def test_reference_sums_gradients_over_broadcast_dimensions(
    generator: torch.Generator,
) -> None:
    """A key shared by the whole batch gets the sum of the batch's gradients."""
    problem = random_problem(Shape(3, 2, 4, 5, 6), torch.float64, CPU, generator)
    shared = replace(problem, key=problem.key[:1], value=problem.value[:1])
    expanded = replace(
        shared,
        key=shared.key.expand(3, -1, -1, -1),
        value=shared.value.expand(3, -1, -1, -1),
    )
    ours, apart = reference(shared), reference(expanded)
    torch.testing.assert_close(ours.grad_key, apart.grad_key.sum(0, keepdim=True))
    torch.testing.assert_close(ours.grad_value, apart.grad_value.sum(0, keepdim=True))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_error_rule_accepts_the_baseline_itself(
    dtype: torch.dtype, generator: torch.Generator
) -> None:
    """The plain implementation passes its own rule, with every tensor compared."""
    problem = random_problem(Shape(2, 4, 33, 33, 16), dtype, CPU, generator)
    comparisons = compare(problem, naive(problem))
    assert len(comparisons) == 5
    assert all(comparison.passes for comparison in comparisons)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_error_rule_accepts_torchs_attention(
    dtype: torch.dtype, generator: torch.Generator
) -> None:
    """Fifty random problems pass through torch's own CPU kernel."""
    for _ in range(50):
        lengths = torch.randint(1, 40, (3,), generator=generator).tolist()
        shape = Shape(1, 2, lengths[0], lengths[1], lengths[2])
        problem = random_problem(shape, dtype, CPU, generator)
        output, *gradients = with_autograd(problem, torch_attention)
        ours = Result(output.detach(), None, *gradients)
        assert_matches_reference(problem, ours, label=str(shape))


@pytest.mark.parametrize("name", ["grad_query", "grad_key", "grad_value", "output"])
@pytest.mark.parametrize(
    ("dtype", "factor"),
    [(torch.float32, 1.01), (torch.float16, 1.05), (torch.bfloat16, 1.4)],
    ids=str,
)
def test_error_rule_rejects_a_tensor_that_is_slightly_too_large(
    name: str, dtype: torch.dtype, factor: float, generator: torch.Generator
) -> None:
    """Refuses float32 that is 1 % off and half types some resolutions off.

    Only the spoiled tensor is refused, so the message names the right one.
    """
    problem = random_problem(Shape(1, 2, 64, 64, 32), dtype, CPU, generator)
    right = naive(problem)
    spoiled = (getattr(right, name).float() * factor).to(dtype)
    wrong = replace(right, **{name: spoiled})
    verdicts = {item.name: item.passes for item in compare(problem, wrong)}
    assert verdicts.pop(name) is False
    assert all(verdicts.values())
    with pytest.raises(AssertionError, match=name):
        assert_matches_reference(problem, wrong)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda t: t.masked_fill(t == t.max(), math.nan), "not finite"),
        (lambda t: t[..., :-1], "shape"),
        (lambda t: t.double(), "dtype"),
    ],
)
def test_error_rule_rejects_nan_shape_and_dtype(
    spoil: Callable[[torch.Tensor], torch.Tensor],
    reason: str,
    generator: torch.Generator,
) -> None:
    """One NaN, a missing column or another type is refused with its reason."""
    problem = random_problem(Shape(1, 1, 4, 4, 4), torch.float32, CPU, generator)
    right = naive(problem)
    wrong = replace(right, output=spoil(right.output))
    with pytest.raises(AssertionError, match=reason):
        assert_matches_reference(problem, wrong)


def test_error_rule_demands_the_references_own_nan(
    generator: torch.Generator,
) -> None:
    """Where the reference is NaN a finite value is wrong, and NaN is right."""
    problem = random_problem(Shape(1, 1, 4, 4, 4), torch.float32, CPU, generator)
    problem.query[0, 0, 0, 0] = math.nan
    right = naive(problem)
    assert all(item.passes for item in compare(problem, right))
    wrong = replace(right, output=right.output.nan_to_num())
    assert not all(item.passes for item in compare(problem, wrong))


def test_baseline_that_overflows_is_replaced_by_the_float32_result() -> None:
    """float16 logits of 4194304 overflow in the baseline, not in the bound."""
    filled = torch.full((1, 1, 8, 8), 256.0, dtype=torch.float16)
    problem = Problem(filled, filled, filled)
    assert not bool(torch.isfinite(naive(problem).output).all())
    right = Result(filled)
    assert all(item.passes for item in compare(problem, right))
    wrong = Result(filled + 8)
    assert not all(item.passes for item in compare(problem, wrong))


def test_unavoidable_error_follows_its_formula() -> None:
    """Two rows, one key: every norm is known by hand."""
    problem = Problem(
        torch.tensor([[3.0, 4.0], [0.0, 1.0]]),
        torch.tensor([[6.0, 8.0]]),
        torch.tensor([[2.0, -7.0]]),
        torch.tensor([[1.0, 1.0], [0.5, 0.0]]),
        scale=-0.5,
    )
    exact = reference(problem)
    eps = 2.0**-23
    terms = unavoidable_error(problem, exact)
    delta = 2 * eps * 0.5 * math.sqrt(2.0**2 + 7.0**2)
    logit = 2 * eps * 0.5 * 5.0 * 10.0
    assert terms["grad_query"] == pytest.approx(delta * 8.0)
    assert terms["grad_key"] == pytest.approx(delta * 4.0 * math.sqrt(2))
    assert terms["output"] == pytest.approx(logit * 7.0)
    assert terms["grad_value"] == pytest.approx(logit * 1.0 * math.sqrt(2))
    half = problem.to(torch.float16)
    terms = unavoidable_error(half, reference(half))
    assert terms["output"] == 0.0
    assert terms["grad_value"] == 0.0
    assert terms["grad_query"] > 0.0
