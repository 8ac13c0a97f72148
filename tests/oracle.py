# SPDX-License-Identifier: MIT
"""The judge of every numerical test: reference, baseline and error rule.

The reference is attention and its gradients in float64, written from the
definition; the baseline is a plain implementation that rounds every intermediate
to the input type. Nothing here calls the kernels under test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import torch

GRADIENTS = ("grad_query", "grad_key", "grad_value")


@dataclass(frozen=True)
class Problem:
    """Inputs of one attention call and the gradient of its output.

    query is [..., Hq, Sq, D], key [..., Hkv, Sk, D], value [..., Hkv, Sk, Dv] and
    grad_output [..., Hq, Sq, Dv]; leading dimensions broadcast as in torch.
    """

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    grad_output: torch.Tensor | None = None
    is_causal: bool = False
    scale: float | None = None
    enable_gqa: bool = False

    def to(self, *args: object) -> Problem:
        """Convert every tensor as torch.Tensor.to does."""
        grad = self.grad_output
        return replace(
            self,
            query=self.query.to(*args),
            key=self.key.to(*args),
            value=self.value.to(*args),
            grad_output=None if grad is None else grad.to(*args),
        )

    @property
    def effective_scale(self) -> float:
        """The factor of the logits: 1/sqrt(D) unless one is given."""
        if self.scale is not None:
            return float(self.scale)
        return 1.0 / math.sqrt(self.query.shape[-1])

    @property
    def group_size(self) -> int:
        """Query heads that share one key head."""
        if not self.enable_gqa:
            return 1
        return self.query.shape[-3] // max(self.key.shape[-3], 1)


@dataclass(frozen=True)
class Result:
    """Output, log-sum-exp [..., Hq, Sq] and gradients; None where not asked for."""

    output: torch.Tensor
    log_sum_exp: torch.Tensor | None = None
    grad_query: torch.Tensor | None = None
    grad_key: torch.Tensor | None = None
    grad_value: torch.Tensor | None = None


def _repeat_heads(tensor: torch.Tensor, group_size: int) -> torch.Tensor:
    if group_size == 1:
        return tensor
    return tensor.repeat_interleave(group_size, dim=-3)


def _sum_heads(grad: torch.Tensor, group_size: int) -> torch.Tensor:
    if group_size == 1:
        return grad
    heads = grad.shape[-3] // group_size
    return grad.unflatten(-3, (heads, group_size)).sum(-3)


def _hide_future_keys(logits: torch.Tensor) -> torch.Tensor:
    """Key j is hidden from row i when j > i: aligned top-left, as in torch."""
    hidden = torch.ones(logits.shape[-2:], dtype=torch.bool).triu(1)
    return logits.masked_fill(hidden, -math.inf)


def _probabilities(
    problem: Problem, query: torch.Tensor, key: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Probabilities and log-sum-exp; a row without a key gives 0 and -inf."""
    logits = problem.effective_scale * (query @ key.transpose(-2, -1))
    if problem.is_causal:
        logits = _hide_future_keys(logits)
    log_sum_exp = torch.logsumexp(logits, dim=-1)
    subtracted = log_sum_exp.masked_fill(log_sum_exp == -math.inf, 0.0)
    return torch.exp(logits - subtracted.unsqueeze(-1)), log_sum_exp


def reference(problem: Problem) -> Result:
    """Attention and its gradients in float64 from the exact input values."""
    group = problem.group_size
    exact = problem.to("cpu").to(torch.float64)
    query = exact.query
    key = _repeat_heads(exact.key, group)
    value = _repeat_heads(exact.value, group)
    p, log_sum_exp = _probabilities(problem, query, key)
    output = p @ value
    if exact.grad_output is None:
        return Result(output, log_sum_exp)
    grad_output = exact.grad_output
    delta = (grad_output * output).sum(-1, keepdim=True)
    dv = p.transpose(-2, -1) @ grad_output
    ds = p * (grad_output @ value.transpose(-2, -1) - delta)
    dq = problem.effective_scale * (ds @ key)
    dk = problem.effective_scale * (ds.transpose(-2, -1) @ query)
    return Result(
        output,
        log_sum_exp,
        dq.sum_to_size(exact.query.shape),
        _sum_heads(dk, group).sum_to_size(exact.key.shape),
        _sum_heads(dv, group).sum_to_size(exact.value.shape),
    )


def _naive_attention(
    problem: Problem, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
) -> torch.Tensor:
    key = _repeat_heads(key, problem.group_size)
    value = _repeat_heads(value, problem.group_size)
    logits = (query @ key.transpose(-2, -1)) * problem.effective_scale
    if problem.is_causal:
        logits = _hide_future_keys(logits)
    return torch.softmax(logits, dim=-1) @ value


def naive(problem: Problem) -> Result:
    """A plain implementation: each intermediate rounded to the type of the inputs.

    Gradients come from autograd of exactly that; the log-sum-exp is computed in
    float32 from the same inputs, since no kernel may keep it in less.
    """
    inputs = problem.to("cpu")
    leaves = [
        tensor.detach().clone().requires_grad_(problem.grad_output is not None)
        for tensor in (inputs.query, inputs.key, inputs.value)
    ]
    output = _naive_attention(problem, *leaves)
    single = inputs.to(torch.float32)
    key = _repeat_heads(single.key, problem.group_size)
    _, log_sum_exp = _probabilities(problem, single.query, key)
    if inputs.grad_output is None:
        return Result(output, log_sum_exp)
    gradients = torch.autograd.grad(output, leaves, inputs.grad_output)
    return Result(output.detach(), log_sum_exp, *gradients)


def _row_norm(tensor: torch.Tensor) -> float:
    return _largest(torch.linalg.vector_norm(tensor, dim=-1))


def _largest(tensor: torch.Tensor) -> float:
    """Largest magnitude among the finite elements."""
    finite = tensor[torch.isfinite(tensor)]
    return float(finite.abs().max()) if finite.numel() else 0.0


def unavoidable_error(problem: Problem, exact: Result) -> dict[str, float]:
    """The term t of the rule: what no kernel of the flash kind can avoid.

    The stored output is rounded before the backward pass forms
    delta = sum_d dO * O from it, which reaches dQ and dK; and float32 logits carry
    an error in proportion to the lengths of their rows, which reaches out and dV.
    """
    inputs = problem.to("cpu").to(torch.float64)
    dtype = problem.query.dtype
    two_eps = 2 * torch.finfo(dtype).eps
    scale = abs(problem.effective_scale)
    rows = problem.query.shape[-2] * problem.group_size
    terms = dict.fromkeys(("output", *GRADIENTS), 0.0)
    if inputs.grad_output is not None:
        delta_error = two_eps * scale * _row_norm(inputs.grad_output * exact.output)
        terms["grad_query"] = delta_error * _largest(inputs.key)
        terms["grad_key"] = delta_error * _largest(inputs.query) * math.sqrt(rows)
    if dtype == torch.float32:
        logit_error = two_eps * scale * _row_norm(inputs.query) * _row_norm(inputs.key)
        terms["output"] = logit_error * _largest(inputs.value)
        if inputs.grad_output is not None:
            largest_grad = _largest(inputs.grad_output)
            terms["grad_value"] = logit_error * largest_grad * math.sqrt(rows)
    return terms


@dataclass(frozen=True)
class Comparison:
    """One tensor held against the reference: its error and what is allowed."""

    name: str
    error: float
    bound: float
    mismatch: str = ""

    @property
    def passes(self) -> bool:
        """Whether the error rule accepts the tensor."""
        return not self.mismatch and self.error <= self.bound

    def __str__(self) -> str:
        """Name, error, bound and the reason of a refusal."""
        verdict = "ok" if self.passes else "WRONG"
        return (
            f"{self.name}: error {self.error:.3e}, allowed {self.bound:.3e} "
            f"{verdict} {self.mismatch}".rstrip()
        )


def _finite_baseline(
    baseline: torch.Tensor, single: torch.Tensor, exact: torch.Tensor
) -> torch.Tensor:
    """Replace what overflowed in the input type by the float32 result, rounded."""
    overflowed = ~torch.isfinite(baseline) & torch.isfinite(exact)
    rounded = single.to(baseline.dtype)
    return torch.where(overflowed, rounded, baseline)


def _compare_tensor(
    name: str,
    ours: torch.Tensor,
    exact: torch.Tensor,
    baseline: torch.Tensor,
    extra: float,
) -> Comparison:
    if ours.shape != exact.shape:
        shapes = f"shape {tuple(ours.shape)}, required {tuple(exact.shape)}"
        return Comparison(name, math.inf, 0.0, shapes)
    if ours.dtype != baseline.dtype:
        types = f"dtype {ours.dtype}, required {baseline.dtype}"
        return Comparison(name, math.inf, 0.0, types)
    eps = torch.finfo(baseline.dtype).eps
    got = ours.detach().cpu().to(torch.float64)
    finite = torch.isfinite(exact)
    same = (got == exact) | (got.isnan() & exact.isnan())
    if not bool(same[~finite].all()):
        return Comparison(name, math.inf, 0.0, "infinities or NaN differ")
    got, exact = got[finite], exact[finite]
    plain = baseline.to(torch.float64)[finite]
    if not bool(torch.isfinite(plain).all()):
        return Comparison(name, math.inf, 0.0, "input too large: no finite bound")
    bound = 2 * _largest(plain - exact) + 4 * eps * _largest(exact) + extra
    if not bool(torch.isfinite(got).all()):
        return Comparison(name, math.inf, bound, "not finite")
    return Comparison(name, _largest(got - exact), bound)


def compare(problem: Problem, ours: Result) -> list[Comparison]:
    """Hold every tensor of ours against the reference by the error rule."""
    exact = reference(problem)
    baseline = naive(problem)
    single = baseline
    if problem.query.dtype != torch.float32:
        single = naive(problem.to(torch.float32))
    terms = unavoidable_error(problem, exact)
    comparisons = []
    for field in fields(Result):
        got = getattr(ours, field.name)
        if got is None:
            continue
        expected = getattr(exact, field.name)
        plain = _finite_baseline(
            getattr(baseline, field.name), getattr(single, field.name), expected
        )
        extra = terms.get(field.name, 0.0)
        comparisons.append(_compare_tensor(field.name, got, expected, plain, extra))
    return comparisons


def assert_matches_reference(problem: Problem, ours: Result, label: str = "") -> None:
    """Fail with every tensor's error when one of them breaks the rule."""
    comparisons = compare(problem, ours)
    if not all(comparison.passes for comparison in comparisons):
        lines = "\n  ".join(str(comparison) for comparison in comparisons)
        raise AssertionError(f"{label} against float64:\n  {lines}")


def assert_identical(
    got: torch.Tensor, expected: torch.Tensor, label: str = ""
) -> None:
    """Fail unless shapes, types and all elements agree; NaN agrees with NaN."""
    got, expected = got.detach().cpu(), expected.detach().cpu()
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype), label
    differs = (got != expected) & ~(got.isnan() & expected.isnan())
    if bool(differs.any()):
        index = tuple(differs.nonzero()[0].tolist())
        raise AssertionError(
            f"{label or 'tensor'}: {int(differs.sum())} of {got.numel()} elements "
            f"differ, first at {list(index)}: {got[index].item()} instead of "
            f"{expected[index].item()}"
        )
