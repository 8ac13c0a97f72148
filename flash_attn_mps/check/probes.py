# SPDX-License-Identifier: MIT
"""Steps that look at the GPU itself: lanes, barriers, rounding, wide offsets.

Each runs one kernel of metal/probes/ and knows what it must show.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from flash_attn_mps.check.report import (
    CheckFailedError,
    Context,
    Outcome,
    Step,
    StepLeftOutError,
)

DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
LANES = 32
# Elements between rows of the probe wide_offset, of which the fifth is read.
WIDE_ROW_STRIDE = (1 << 28) + 3


def _run(
    context: Context,
    probe: str,
    dtype: str,
    *,
    elements: int,
    source: Tensor | None = None,
    threads: int = LANES,
    group: int = LANES,
) -> Tensor:
    source = torch.zeros(1) if source is None else source
    result: Tensor = torch.ops.flash_attn_mps.run_probe(
        probe, dtype, source.to(context.device), elements, threads, group
    )
    return result.cpu()


def lane_elements() -> Tensor:
    """Returns the elements (row-major) that each lane must hold: [32, 2].

    Example:
        >>> from flash_attn_mps.check.probes import lane_elements
        >>> lane_elements()[:4].tolist()
        [[0, 1], [2, 3], [8, 9], [10, 11]]
    """
    lane = torch.arange(LANES)
    row = lane // 16 * 4 + lane // 2 % 4
    column = lane // 8 % 2 * 4 + lane % 2 * 2
    first = 8 * row + column
    return torch.stack([first, first + 1], dim=1)


def _require_equal(got: Tensor, expected: Tensor, what: str) -> None:
    """Raises CheckFailedError that names the first difference."""
    expected = expected.to(got.dtype)
    differs = ~((got == expected) | (got.isnan() & expected.isnan()))
    if differs.any():
        index = tuple(int(number) for number in differs.nonzero()[0])
        raise CheckFailedError(
            f"{what} differs at {index}: expected {expected[index].item()}, got "
            f"{got[index].item()}; {int(differs.sum())} of {got.numel()} differ"
        )


def lane_layout(context: Context, *, dtype: str) -> Outcome:
    """Compares a load and a product of matrices with the expected lane layout."""
    got = _run(context, "lane_layout", dtype, elements=128).reshape(2, LANES, 2)
    elements = lane_elements()
    numbered = torch.arange(64).reshape(8, 8)
    scrambled = (37 * numbered + 11) % 64
    product = (numbered.double() @ scrambled.double()).flatten()
    _require_equal(got[1], elements, "which element a lane holds (lane, element)")
    _require_equal(got[0], product[elements], "a product (lane, element)")
    return Outcome("a load and a product are where they must be")


def lane_exchange(context: Context, *, dtype: str) -> Outcome:
    """Compares shuffles and row reductions with what the layout says."""
    got = _run(context, "lane_exchange", dtype, elements=7 * LANES).reshape(7, LANES)
    lane = torch.arange(LANES)
    number = lane * 7 % 32
    rows = lane_elements()[:, 0] // 8
    in_row = rows[:, None] == rows[None, :]
    _require_equal(got[0], (in_row * number).sum(1), "the sum of a row (lane)")
    largest = torch.where(in_row, number, -1).amax(1)
    _require_equal(got[1], largest, "the maximum of a row (lane)")
    for bit in range(5):
        exchanged = number[lane ^ (1 << bit)]
        _require_equal(got[2 + bit], exchanged, f"an exchange by {1 << bit} (lane)")
    return Outcome("row sums, row maxima and five exchanges are right")


def threadgroup_exchange(context: Context) -> Outcome:
    """Compares what threads read from each other through threadgroup memory."""
    groups, threads, rounds = 64, 128, 16
    got = _run(
        context,
        "threadgroup_exchange",
        "float32",
        elements=groups * threads,
        threads=groups * threads,
        group=threads,
    ).reshape(groups, threads)
    source = (torch.arange(threads) + 37 * rounds) % threads
    expected = torch.arange(groups)[:, None] * threads + source
    _require_equal(got, expected, "threadgroup memory (group, thread)")
    return Outcome(f"{rounds} rounds in {groups} threadgroups are in order")


def element_arithmetic(context: Context, *, dtype: str) -> Outcome:
    """Compares rounding to an element type and its product with torch's."""
    numbers = torch.randn(1024, generator=context.generator())
    # Away from zero: whether tiny numbers are kept is not what kernels rest on.
    numbers = torch.where(numbers < 0, numbers - 1, numbers + 1)
    scales = torch.logspace(-2, 4, 1024)
    special = torch.tensor([0.0, -0.0, 1.0, torch.inf, -torch.inf, torch.nan])
    # Halfway between neighbours of bfloat16, then of float16: ties go to even.
    ties = 1 + torch.tensor([1, 3, 5, 7]) / 256, 1 + torch.tensor([1, 3]) / 2048
    source = torch.cat([numbers * scales, special, *ties])
    source = torch.cat([source, torch.zeros(-source.numel() % LANES)])
    count = source.numel()
    got = _run(
        context,
        "element_arithmetic",
        dtype,
        elements=2 * count,
        source=source,
        threads=count,
    ).reshape(count, 2)
    rounded = source.to(DTYPES[dtype])
    _require_equal(got[:, 0], rounded.float(), "a rounded number")
    _require_equal(got[:, 1], (rounded * 1.5).float(), "a product")
    return Outcome(f"{count} numbers are rounded and multiplied as torch does it")


def wide_offsets(context: Context) -> Outcome:
    """Reads a row beyond 4 GiB of a matrix of which only that row is written."""
    if context.is_quick and context.device.type == "mps":
        raise StepLeftOutError("needs 4 GiB of GPU memory; run without --quick")
    try:
        source = torch.empty(4 * WIDE_ROW_STRIDE + 1, device=context.device)
    except RuntimeError as error:
        raise StepLeftOutError(
            f"no 4 GiB of memory: {str(error).splitlines()[0]}"
        ) from None
    source[:1] = 1000.0
    source[4 * WIDE_ROW_STRIDE :] = 2000.0
    result = torch.ops.flash_attn_mps.run_probe(
        "wide_offset", "float32", source, LANES, LANES, LANES
    )
    lane = torch.arange(LANES)
    expected = torch.where(lane < 4, 1000.0, 2000.0) + lane
    _require_equal(result.cpu(), expected, "a row behind 4 GiB (thread)")
    return Outcome("a row behind 4 GiB is found")


def probe_steps() -> list[Step]:
    """Returns the steps of this file in their order."""
    steps = []
    for dtype in DTYPES:
        steps.append(Step(f"lane layout {dtype}", partial(lane_layout, dtype=dtype)))
        steps.append(
            Step(f"lane exchange {dtype}", partial(lane_exchange, dtype=dtype))
        )
    steps.append(Step("barriers and threadgroup memory", threadgroup_exchange))
    for dtype in DTYPES:
        arithmetic = partial(element_arithmetic, dtype=dtype)
        steps.append(Step(f"arithmetic {dtype}", arithmetic))
    steps.append(Step("64-bit offsets", wide_offsets))
    return steps
