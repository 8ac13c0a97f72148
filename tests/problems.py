# SPDX-License-Identifier: MIT
"""Makes the inputs of tests: random values from a seed, exact integers, layouts.

It runs no attention. The specialisations (dtype, head dims) that tests share are
listed here, because each costs three kernel compilations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from tests.layouts import Placed, random_layout
from tests.oracle import Problem

DTYPES = (torch.float32, torch.float16, torch.bfloat16)

# (dtype, head_dim, value_head_dim): one odd and one round size per type, value
# heads both narrower and wider than the query's.
SPECIALISATIONS = (
    (torch.float32, 64, 64),
    (torch.float32, 5, 5),
    (torch.float32, 24, 40),
    (torch.float16, 64, 64),
    (torch.float16, 33, 17),
    (torch.float16, 128, 128),
    (torch.bfloat16, 64, 64),
    (torch.bfloat16, 7, 96),
    (torch.bfloat16, 128, 128),
)


@dataclass(frozen=True)
class Shape:
    """Sizes of one attention problem in the usual four dimensions."""

    batch: int
    heads: int
    query_length: int
    key_length: int
    head_dim: int
    value_head_dim: int | None = None
    key_heads: int | None = None

    @property
    def value_dim(self) -> int:
        """Head dimension of the value: that of the query unless given."""
        return self.head_dim if self.value_head_dim is None else self.value_head_dim

    @property
    def kv_heads(self) -> int:
        """Heads of key and value: those of the query unless given."""
        return self.heads if self.key_heads is None else self.key_heads

    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Tensor sizes by the names of Problem's fields."""
        keys = (self.batch, self.kv_heads, self.key_length)
        rows = (self.batch, self.heads, self.query_length)
        return {
            "query": (*rows, self.head_dim),
            "key": (*keys, self.head_dim),
            "value": (*keys, self.value_dim),
            "grad_output": (*rows, self.value_dim),
        }


def _problem(
    shape: Shape, tensors: dict[str, torch.Tensor], options: dict[str, object]
) -> Problem:
    """Grouped heads are asked for where the shape has them."""
    grouped = shape.kv_heads != shape.heads
    return replace(Problem(**tensors, enable_gqa=grouped), **options)


def random_problem(
    shape: Shape,
    dtype: torch.dtype,
    device: torch.device,
    generator: torch.Generator,
    **options: object,
) -> Problem:
    """Normal values, contiguous; the options are fields of Problem."""
    tensors = {
        name: torch.randn(size, generator=generator).to(dtype).to(device)
        for name, size in shape.sizes().items()
    }
    return _problem(shape, tensors, options)


def integer_problem(
    shape: Shape,
    dtype: torch.dtype,
    device: torch.device,
    generator: torch.Generator,
    **options: object,
) -> Problem:
    """Small integers: sums of products are exact in every type and any order."""
    tensors = {
        name: torch.randint(-2, 3, size, generator=generator).to(dtype).to(device)
        for name, size in shape.sizes().items()
    }
    return _problem(shape, tensors, options)


def scatter_in_memory(
    problem: Problem, generator: torch.Generator
) -> tuple[Problem, list[Placed]]:
    """Put every input in its own random layout with NaN in the gaps."""
    placed = {}
    for name in ("query", "key", "value", "grad_output"):
        values = getattr(problem, name)
        if values is not None:
            placed[name] = random_layout(values.cpu(), values.device, generator)
    views = {name: layout.view for name, layout in placed.items()}
    return replace(problem, **views), list(placed.values())
