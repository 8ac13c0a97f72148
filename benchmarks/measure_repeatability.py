# SPDX-License-Identifier: MIT
"""Bytes that differ when the same call is repeated: none."""

from __future__ import annotations

import torch
from torch import Tensor

import flash_attn_mps
from benchmarks.figure import REPEATS, Figure

TITLE = "Repeated calls, forward and backward, three dtypes, grouped heads, causal"


def results(dtype: torch.dtype) -> list[Tensor]:
    """Output and gradients of one fixed problem as raw bytes."""
    generator = torch.Generator().manual_seed(0)
    shapes = ((2, 4, 65, 40), (2, 2, 97, 40), (2, 2, 97, 40))
    query, key, value = (
        torch.randn(shape, generator=generator).to(dtype).requires_grad_()
        for shape in shapes
    )
    output = flash_attn_mps.scaled_dot_product_attention(
        query, key, value, is_causal=True, enable_gqa=True
    )
    gradients = torch.autograd.grad(
        output, (query, key, value), torch.ones_like(output)
    )
    return [part.detach().view(torch.uint8) for part in (output, *gradients)]


def differing_bytes(dtype: torch.dtype) -> int:
    """How many bytes of later calls differ from the first call's."""
    first = results(dtype)
    later = [results(dtype) for _ in range(REPEATS - 1)]
    return sum(
        int((a != b).sum())
        for again in later
        for a, b in zip(first, again, strict=True)
    )


def measure() -> list[Figure]:
    """All dtypes together."""
    dtypes = (torch.float32, torch.float16, torch.bfloat16)
    return [Figure("bytes that differ", sum(map(differing_bytes, dtypes)), "", 0)]
