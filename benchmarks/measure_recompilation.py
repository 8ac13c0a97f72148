# SPDX-License-Identifier: MIT
"""Kernels compiled while lengths change: none after the first length."""

from __future__ import annotations

import torch

import flash_attn_mps
from benchmarks.figure import Figure

TITLE = "Kernels compiled while 200 lengths run forward and backward"
LENGTHS = range(1, 201)


def run_length(length: int) -> None:
    """Forward and backward of one small problem."""
    shape = (1, 1, length, 16)
    query, key, value = (torch.randn(shape, requires_grad=True) for _ in range(3))
    output = flash_attn_mps.scaled_dot_product_attention(
        query, key, value, is_causal=True
    )
    torch.autograd.grad(output.sum(), (query, key, value))


def compiled() -> int:
    """Pipelines that this process has had to create."""
    _, misses, _ = flash_attn_mps.pipeline_cache_info()
    return misses


def measure() -> list[Figure]:
    """Counts the cache's misses."""
    before = compiled()
    run_length(LENGTHS[0])
    first = compiled() - before
    for length in LENGTHS[1:]:
        run_length(length)
    every = compiled() - before
    return [
        Figure("for the first length", first, "kernels"),
        Figure("for all 200 lengths", every, "kernels", first),
    ]
