# SPDX-License-Identifier: MIT
"""Tensors in awkward memory: gaps, offsets, permuted and expanded dimensions.

Each function places given values in memory in one way and keeps the whole buffer,
so that a test can prove that the gaps were neither read nor written. It computes
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Placed:
    """A view of a larger buffer; what the view does not address holds NaN."""

    view: torch.Tensor
    buffer: torch.Tensor

    def gaps(self) -> torch.Tensor:
        """Give the elements of the buffer that no index of the view reaches."""
        untouched = torch.ones(self.buffer.numel(), dtype=torch.bool)
        reached = untouched.as_strided(
            self.view.shape, self.view.stride(), self.view.storage_offset()
        )
        reached.fill_(False)
        return self.buffer.detach().cpu()[untouched]

    def gaps_hold_nan(self) -> bool:
        """Whether every gap still holds the NaN that it was filled with."""
        return bool(torch.isnan(self.gaps()).all())


def place(
    values: torch.Tensor,
    device: torch.device,
    strides: Sequence[int],
    offset: int = 0,
) -> Placed:
    """Put values at the given strides and offset into a buffer full of NaN."""
    last = sum((n - 1) * s for n, s in zip(values.shape, strides, strict=True))
    length = offset + last + 1 + 16 if values.numel() else offset + 16
    buffer = torch.full((length,), math.nan, dtype=values.dtype, device=device)
    view = buffer.as_strided(values.shape, tuple(strides), offset)
    view.copy_(values)
    return Placed(view, buffer)


def dense_strides(
    shape: Sequence[int], order: Sequence[int], gaps: Sequence[int]
) -> list[int]:
    """Strides that run through the dimensions of `order`, innermost first.

    gaps[i] elements stay unused after each run of dimension order[i].
    """
    strides = [0] * len(shape)
    step = 1
    for dimension, gap in zip(order, gaps, strict=True):
        strides[dimension] = step
        step = step * max(shape[dimension], 1) + gap
    return strides


def padded_rows(values: torch.Tensor, device: torch.device, gap: int) -> Placed:
    """Row-major with `gap` unused elements behind each row."""
    order = list(range(values.dim()))[::-1]
    gaps = [gap] + [0] * (values.dim() - 1)
    return place(values, device, dense_strides(values.shape, order, gaps))


def heads_inside_rows(values: torch.Tensor, device: torch.device) -> Placed:
    """Memory order [B, S, H, D], as `x.view(B, S, H, D).transpose(1, 2)` has it."""
    strides = dense_strides(values.shape, [3, 1, 2, 0], [0, 0, 0, 0])
    return place(values, device, strides)


def random_layout(
    values: torch.Tensor, device: torch.device, generator: torch.Generator
) -> Placed:
    """Permute the leading dimensions, leave gaps and start at an odd offset.

    The last stride is 1 in three cases of four.
    """

    def draw(limit: int) -> int:
        return int(torch.randint(limit, (), generator=generator))

    rank = values.dim()
    leading = torch.randperm(rank - 1, generator=generator).tolist()
    order = [rank - 1, *leading]
    if draw(4) == 0:
        order = [*leading[:1], rank - 1, *leading[1:]]
    gaps = [draw(4) for _ in order]
    strides = dense_strides(values.shape, order, gaps)
    return place(values, device, strides, offset=draw(9))
