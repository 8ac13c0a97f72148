# SPDX-License-Identifier: MIT
"""Fault A34: buffers that grow with the square of the length, or beyond 4 GB."""

from __future__ import annotations

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from tests.calls import attend, call_forward, run_autograd, run_operators
from tests.oracle import GRADIENTS, Problem, assert_matches_reference
from tests.problems import Shape, random_problem

KIBIBYTE = 1024


def _bytes_allocated(record: profile) -> int:
    """Everything that operators allocated, whether or not it was freed again."""
    return sum(max(event.self_cpu_memory_usage, 0) for event in record.events())


def _profile_backward(problem: Problem) -> tuple[int, int]:
    """Bytes allocated in backward, and bytes of the gradients themselves."""
    leaves = [
        tensor.clone().requires_grad_(True)
        for tensor in (problem.query, problem.key, problem.value)
    ]
    output = attend(problem, *leaves)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        gradients = torch.autograd.grad(output, leaves, problem.grad_output)
    own = sum(gradient.numel() * gradient.element_size() for gradient in gradients)
    return _bytes_allocated(record), own


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("key_heads", [4, 2])
def test_backward_allocates_two_floats_a_row_beyond_the_gradients(
    key_heads: int,
    dtype: torch.dtype,
    simulated: bool,
    device: torch.device,
    generator: torch.Generator,
) -> None:
    """A34: at most 2 * 4 * B * H * S bytes + 64 KB, by torch.profiler.

    The profiler sees allocations of the CPU, where the simulated device's memory
    lies; on MPS the driver's peak is looked at instead.
    """
    shape = Shape(2, 4, 160, 160, 64, key_heads=key_heads)
    problem = random_problem(shape, dtype, device, generator, is_causal=True)
    rows = shape.batch * shape.heads * shape.query_length
    allowed = 2 * 4 * rows + 64 * KIBIBYTE
    if not simulated:
        assert _peak_of_driver(problem, allowed)
        return
    run_autograd(problem)
    allocated, own = _profile_backward(problem)
    assert allocated - own <= allowed
    assert allocated >= own


def _peak_of_driver(problem: Problem, allowed: int) -> bool:
    """On MPS: the driver's memory grows by no square of the length."""
    run_autograd(problem)
    torch.mps.synchronize()
    torch.mps.empty_cache()
    before = torch.mps.driver_allocated_memory()
    result = run_autograd(problem)
    torch.mps.synchronize()
    own = sum(
        getattr(result, name).numel() * getattr(result, name).element_size()
        for name in ("output", *GRADIENTS)
    )
    # The allocator rounds up to heaps of 8 MiB.
    slack = 8 * KIBIBYTE**2
    return torch.mps.driver_allocated_memory() - before <= own + allowed + slack


def test_forward_allocates_only_its_results(
    simulated: bool, device: torch.device, generator: torch.Generator
) -> None:
    """A34: no scores are stored; (1, 12, 29640, 29640, 128) shrunk to S = 320."""
    shape = Shape(1, 2, 320, 320, 128)
    problem = random_problem(shape, torch.float16, device, generator)
    call_forward(problem)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        output, log_sum_exp = call_forward(problem)
    own = 2 * output.numel() + 4 * log_sum_exp.numel()
    if simulated:
        assert own <= _bytes_allocated(record) <= own + 16 * KIBIBYTE


def _far_apart_heads(
    values: torch.Tensor, device: torch.device, distance: int
) -> torch.Tensor:
    """Two heads `distance` elements apart in an allocation nobody else touches."""
    count = distance + values[0, 0].numel()
    buffer = torch.empty(count, dtype=values.dtype, device=device)
    strides = (2 * distance, distance, values.shape[-1], 1)
    view = buffer.as_strided(values.shape, strides)
    view.copy_(values)
    return view


def test_heads_four_gigabytes_apart_match_float64(
    device: torch.device, generator: torch.Generator
) -> None:
    """A34: a head stride beyond 2^32 bytes, one forward and backward.

    The lengths are shrunk, the stride is not: 2^31 + 64 float16 elements. Pages
    that nobody writes take no memory.
    """
    plain = random_problem(Shape(1, 2, 33, 35, 64), torch.float16, device, generator)
    distance = 2**31 + 64
    problem = Problem(
        *(
            _far_apart_heads(tensor.cpu(), device, distance)
            for tensor in (plain.query, plain.key, plain.value, plain.grad_output)
        )
    )
    assert problem.query.stride(1) * problem.query.element_size() > 2**32
    assert_matches_reference(plain, run_operators(problem))
