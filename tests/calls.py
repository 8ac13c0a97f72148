# SPDX-License-Identifier: MIT
"""The ways in which tests call the package: public function and operators.

It returns what the package computed as `oracle.Result`; it judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

import flash_attn_mps
from tests.oracle import Problem, Result

ALL_GRADIENTS = (True, True, True)


def attend(
    problem: Problem,
    query: torch.Tensor | None = None,
    key: torch.Tensor | None = None,
    value: torch.Tensor | None = None,
) -> torch.Tensor:
    """Call the public function with the problem's options."""
    return flash_attn_mps.scaled_dot_product_attention(
        problem.query if query is None else query,
        problem.key if key is None else key,
        problem.value if value is None else value,
        is_causal=problem.is_causal,
        scale=problem.scale,
        enable_gqa=problem.enable_gqa,
    )


def call_forward(problem: Problem) -> tuple[torch.Tensor, torch.Tensor]:
    """Call the forward operator: output and log-sum-exp."""
    output, log_sum_exp = torch.ops.flash_attn_mps.forward(
        problem.query,
        problem.key,
        problem.value,
        problem.is_causal,
        problem.scale,
        problem.enable_gqa,
    )
    return output, log_sum_exp


def call_backward(
    problem: Problem,
    output: torch.Tensor,
    log_sum_exp: torch.Tensor,
    output_mask: Sequence[bool] = ALL_GRADIENTS,
) -> tuple[torch.Tensor | None, ...]:
    """Call the backward operator for the gradients that output_mask names."""
    return tuple(
        torch.ops.flash_attn_mps.backward(
            problem.grad_output,
            problem.query,
            problem.key,
            problem.value,
            output,
            log_sum_exp,
            problem.is_causal,
            problem.scale,
            problem.enable_gqa,
            list(output_mask),
        )
    )


def run_operators(problem: Problem) -> Result:
    """Forward and, when there is a gradient of the output, backward operator.

    All leading dimensions must be equal, as the operators require.
    """
    output, log_sum_exp = call_forward(problem)
    if problem.grad_output is None:
        return Result(output, log_sum_exp)
    gradients = call_backward(problem, output, log_sum_exp)
    return Result(output, log_sum_exp, *gradients)


def leaves_of(
    problem: Problem, requires_grad: Sequence[bool] = ALL_GRADIENTS
) -> list[torch.Tensor]:
    """Query, key and value as leaves that keep their strides and offsets."""
    return [
        tensor.detach().requires_grad_(needed)
        for tensor, needed in zip(
            (problem.query, problem.key, problem.value), requires_grad, strict=True
        )
    ]


def run_autograd(
    problem: Problem, requires_grad: Sequence[bool] = ALL_GRADIENTS
) -> Result:
    """Public function and autograd; the inputs keep their strides and offsets."""
    leaves = leaves_of(problem, requires_grad)
    output = attend(problem, *leaves)
    if problem.grad_output is None:
        return Result(output.detach())
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    found = iter(torch.autograd.grad(output, wanted, problem.grad_output))
    gradients = [next(found) if leaf.requires_grad else None for leaf in leaves]
    return Result(output.detach(), None, *gradients)
