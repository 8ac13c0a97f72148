# SPDX-License-Identifier: MIT
"""The operators as torch's machinery sees them: opcheck, modes, threads, hooks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

import flash_attn_mps
from tests.calls import attend, call_forward, leaves_of, run_autograd, run_operators
from tests.oracle import GRADIENTS, Result, assert_identical
from tests.problems import Shape, random_problem

SHAPE = Shape(2, 4, 9, 11, 24, value_head_dim=40, key_heads=2)


def _assert_equal(first: Result, second: Result) -> None:
    for name in ("output", *GRADIENTS):
        assert_identical(getattr(first, name), getattr(second, name), name)


@pytest.mark.parametrize("requires_grad", [False, True])
def test_forward_operator_passes_opcheck(
    requires_grad: bool, device: torch.device, generator: torch.Generator
) -> None:
    """Schema, registration of autograd, fake implementation and compiled dispatch."""
    problem = random_problem(SHAPE, torch.float32, device, generator, is_causal=True)
    tensors = [
        tensor.clone().requires_grad_(requires_grad)
        for tensor in (problem.query, problem.key.mT.contiguous().mT, problem.value)
    ]
    torch.library.opcheck(
        torch.ops.flash_attn_mps.forward.default, (*tensors, True, 0.5, True)
    )


@pytest.mark.parametrize(
    "mask", [[True] * 3, [True, False, False], [False, True, True]]
)
def test_backward_operator_passes_opcheck(
    mask: list[bool], device: torch.device, generator: torch.Generator
) -> None:
    """The same for the backward operator with gradients left out."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    forward = call_forward(problem)
    torch.library.opcheck(
        torch.ops.flash_attn_mps.backward.default,
        (
            problem.grad_output,
            problem.query,
            problem.key,
            problem.value,
            *forward,
            False,
            None,
            True,
            mask,
        ),
    )


def test_compiled_function_gives_the_bits_of_eager(
    device: torch.device, generator: torch.Generator
) -> None:
    """torch.compile with aot_eager, forward and backward, transposed inputs."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    problem = replace(
        problem, query=problem.query.transpose(1, 2).contiguous().transpose(1, 2)
    )
    eager = run_autograd(problem)
    compiled = torch.compile(
        lambda query, key, value: attend(problem, query, key, value),
        backend="aot_eager",
        fullgraph=True,
    )
    leaves = leaves_of(problem)
    output = compiled(*leaves)
    gradients = torch.autograd.grad(output, leaves, problem.grad_output)
    _assert_equal(eager, Result(output.detach(), None, *gradients))
    assert output.stride() == eager.output.stride()


def test_gradcheck_by_numbers_agrees_in_one_direction(
    device: torch.device, generator: torch.Generator
) -> None:
    """The gradient predicts a small change of the output along a direction."""
    problem = random_problem(SHAPE, torch.float32, device, generator, is_causal=True)
    gradients = run_autograd(problem)
    for name in ("query", "key", "value"):
        tensor = getattr(problem, name)
        direction = torch.randn(tensor.shape, generator=generator).to(device)
        outputs = [
            attend(replace(problem, **{name: tensor + sign * 1e-2 * direction}))
            for sign in (1, -1)
        ]
        change = ((outputs[0] - outputs[1]) * problem.grad_output).sum() / 2e-2
        predicted = (getattr(gradients, f"grad_{name}") * direction).sum()
        torch.testing.assert_close(change, predicted, rtol=1e-2, atol=1e-2)


def test_log_sum_exp_takes_no_gradient(
    device: torch.device, generator: torch.Generator
) -> None:
    """The second result is not differentiable, so no gradient is silently lost."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    problem = replace(problem, query=problem.query.requires_grad_(True))
    output, log_sum_exp = call_forward(problem)
    assert output.requires_grad
    assert not log_sum_exp.requires_grad


def test_backward_on_a_side_thread_gives_the_same_bits(
    device: torch.device, generator: torch.Generator
) -> None:
    """The graph is made here and run by another thread."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    expected = run_autograd(problem)
    leaves = leaves_of(problem)
    output = attend(problem, *leaves)
    worker = threading.Thread(target=output.backward, args=(problem.grad_output,))
    worker.start()
    worker.join()
    _assert_equal(
        expected, Result(output.detach(), None, *(leaf.grad for leaf in leaves))
    )


def test_several_threads_at_once_give_the_same_bits(
    device: torch.device, generator: torch.Generator
) -> None:
    """Four threads, twelve calls each, of problems with different kernels."""
    problems = [
        random_problem(replace(SHAPE, query_length=9 + index), dtype, device, generator)
        for index, dtype in enumerate(
            (torch.float32, torch.float16, torch.float32, torch.float16)
        )
    ]
    expected = [run_operators(problem) for problem in problems]

    def work(index: int) -> None:
        for turn in range(12):
            which = (index + turn) % len(problems)
            _assert_equal(expected[which], run_operators(problems[which]))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_one_kernel_is_compiled_once_by_many_threads(
    device: torch.device, generator: torch.Generator
) -> None:
    """Eight threads ask at once for a kernel that nobody has: one miss."""
    shape = Shape(1, 1, 3, 3, 14)
    problem = random_problem(shape, torch.bfloat16, device, generator)
    before = flash_attn_mps.pipeline_cache_info()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: call_forward(problem)[0], range(8)))
    after = flash_attn_mps.pipeline_cache_info()
    assert after.misses == before.misses + 1
    assert after.size == before.size + 1
    assert after.hits == before.hits + 7
    assert all(torch.equal(result, results[0]) for result in results)


def test_checkpointed_function_gives_the_same_gradients(
    device: torch.device, generator: torch.Generator
) -> None:
    """Recomputing the forward pass changes no bit."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    expected = run_autograd(problem)
    leaves = leaves_of(problem)
    output = torch.utils.checkpoint.checkpoint(
        lambda *tensors: attend(problem, *tensors), *leaves, use_reentrant=False
    )
    gradients = torch.autograd.grad(output, leaves, problem.grad_output)
    _assert_equal(expected, Result(output.detach(), None, *gradients))


def test_inference_mode_gives_the_same_bits(
    device: torch.device, generator: torch.Generator
) -> None:
    """No version counters, no graph."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    expected = attend(problem)
    with torch.inference_mode():
        assert_identical(attend(problem), expected)


def test_backward_twice_needs_and_respects_retain_graph(
    device: torch.device, generator: torch.Generator
) -> None:
    """Two backward passes over one graph give twice the gradient."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    leaf = problem.query.clone().requires_grad_(True)
    output = attend(problem, leaf)
    output.backward(problem.grad_output, retain_graph=True)
    once = leaf.grad.clone()
    output.backward(problem.grad_output)
    assert_identical(leaf.grad, 2 * once)
    with pytest.raises(RuntimeError, match="second time"):
        output.backward(problem.grad_output)


def test_input_changed_in_place_before_backward_is_refused(
    device: torch.device, generator: torch.Generator
) -> None:
    """Saved tensors are version-checked, so a stale gradient cannot come out."""
    problem = random_problem(SHAPE, torch.float32, device, generator)
    leaf = problem.query.clone().requires_grad_(True)
    key = problem.key.clone()
    output = attend(problem, leaf, key)
    key.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        output.backward(problem.grad_output)
