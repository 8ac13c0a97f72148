# SPDX-License-Identifier: MIT
"""Bytes that backward allocates besides the gradients themselves."""

from __future__ import annotations

import torch
from torch.profiler import ProfilerActivity, profile

import flash_attn_mps
from benchmarks.figure import Figure

TITLE = "Memory of the backward pass, float32, B=2 H=4 S=512 D=64"
SHAPE = (2, 4, 512, 64)


def allocated_bytes(shape: tuple[int, int, int, int]) -> int:
    """Sum of all allocations of one backward pass, by torch's profiler."""
    query, key, value = (torch.randn(shape, requires_grad=True) for _ in range(3))
    output = flash_attn_mps.scaled_dot_product_attention(query, key, value)
    grad_output = torch.randn(shape)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        torch.autograd.grad(output, (query, key, value), grad_output)
    results = profiler.profiler.kineto_results
    events = [event for event in results.events() if event.name() == "[memory]"]
    return sum(max(event.nbytes(), 0) for event in events)


def measure() -> list[Figure]:
    """The excess over dq, dk and dv, against two floats per query row."""
    batch, heads, length, head_dim = SHAPE
    gradients = 3 * 4 * batch * heads * length * head_dim
    total = allocated_bytes(SHAPE)
    if total < gradients:
        raise RuntimeError(f"the profiler saw {total} bytes, fewer than the gradients")
    bar = 2 * 4 * batch * heads * length + 64 * 1024
    return [
        Figure("the gradients dq, dk, dv", gradients / 1024, "KB"),
        Figure("beyond them", (total - gradients) / 1024, "KB", bar / 1024),
    ]
