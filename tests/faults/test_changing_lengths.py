# SPDX-License-Identifier: MIT
"""Fault A37: memory and compiled kernels that grow with every new length."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest
import torch

import flash_attn_mps
from tests.calls import run_operators
from tests.oracle import assert_matches_reference
from tests.problems import Shape, random_problem

MEBIBYTE = 2**20


def _resident_bytes() -> int:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    # macOS reports the peak, in bytes; growth still shows.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _run_lengths(
    lengths: list[int], device: torch.device, generator: torch.Generator
) -> None:
    for length in lengths:
        shape = Shape(1, 1, length, length + 1, 8)
        run_operators(random_problem(shape, torch.float32, device, generator))


def test_two_hundred_lengths_compile_nothing_new(
    device: torch.device, generator: torch.Generator
) -> None:
    """A37: 200 different lengths, forward and backward, run the first one's kernels.

    Shrunk from (4, 8, S, S, 64) with S from 128 to 1024 to (1, 1, S, S + 1, 8) with
    S from 1 to 200; the number of lengths is that of the bar.
    """
    _run_lengths([1], device, generator)
    first = flash_attn_mps.pipeline_cache_info()
    _run_lengths(list(range(1, 201)), device, generator)
    last = flash_attn_mps.pipeline_cache_info()
    assert last.misses == first.misses
    assert last.size == first.size
    assert last.hits >= first.hits + 200 * 3


@pytest.mark.usefixtures("fast_build")
def test_changing_lengths_leave_memory_flat(
    device: torch.device, generator: torch.Generator
) -> None:
    """A37: after a warm-up 300 calls with random lengths keep memory flat.

    Shrunk from 500 lengths in [128, 1024] to 300 in [8, 96], D from 64 to 8. The
    bar of 8 MiB is a tenth of what one leaked set of tensors a call would take.
    """
    draw = torch.randint(8, 97, (600,), generator=generator).tolist()
    _run_lengths(draw[:300], device, generator)
    if sys.platform == "darwin":
        torch.mps.synchronize()
        driver_before = torch.mps.driver_allocated_memory()
    before = _resident_bytes()
    _run_lengths(draw[300:], device, generator)
    assert _resident_bytes() - before < 8 * MEBIBYTE
    if sys.platform == "darwin":
        torch.mps.synchronize()
        assert torch.mps.driver_allocated_memory() - driver_before < 8 * MEBIBYTE


@pytest.mark.usefixtures("fast_build")
def test_five_thousand_lengths_pass_through_the_parameter_cache(
    device: torch.device,
    generator: torch.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A37: more problems than the parameter cache holds; old ones come back right.

    5,000 pairs of lengths up to 71 x 71, one row of the result checked in each, and
    the first hundred again after they were evicted. In the fast build.
    """
    # Newer releases of torch need no such cache; this takes it on any.
    monkeypatch.setenv("FLASH_ATTN_MPS_PARAMETER_ROUTE", "tensor")
    width, key_length = 8, 71
    query = torch.randn(71, width, generator=generator).to(device)
    key = torch.randn(key_length, width, generator=generator).to(device)
    pairs = [(1 + i % 71, 1 + i // 71) for i in range(5000)]
    for rows, keys in pairs + pairs[:100]:
        output = flash_attn_mps.scaled_dot_product_attention(
            query[:rows], key[:keys], key[:keys]
        )
        assert output.shape == (rows, width)
        if rows == 1:
            logits = query[:1].double() @ key[:keys].double().mT / width**0.5
            expected = torch.softmax(logits, -1) @ key[:keys].double()
            torch.testing.assert_close(
                output.double().cpu(), expected.cpu(), rtol=0, atol=1e-5
            )
    assert torch.ops.flash_attn_mps.parameter_buffer_count() == 1024


def test_lengths_of_a_warm_cache_still_match_float64(
    device: torch.device, generator: torch.Generator
) -> None:
    """A37: the kernels of the first length are right for the others."""
    for length in (200, 3, 97, 32):
        problem = random_problem(
            Shape(1, 1, length, length + 1, 8), torch.float32, device, generator
        )
        assert_matches_reference(problem, run_operators(problem))
