# SPDX-License-Identifier: MIT
"""The simulator's counters equal the closed forms of docs/algorithm.md.

Each kernel runs alone on NumPy arrays, checked, with sizes that leave remainders.
"""

from __future__ import annotations

import math
import struct
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from tests.operation_counts import (
    Counts,
    Sizes,
    Tiling,
    backward_key_value_counts,
    backward_query_counts,
    delta_counts,
    forward_counts,
)

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the simulator runs on Linux"
)

NUMPY_TYPES = {"float32": np.float32, "float16": np.float16}
# Slots of metal/shared/buffer_indices.h that hold tensors, in their order.
OPERANDS = (
    "query",
    "key",
    "value",
    "output",
    "log_sum_exps",
    "grad_output",
    "deltas",
    "grad_query",
    "grad_key",
    "grad_value",
)
STATISTICS = ("log_sum_exps", "deltas")

PROBLEMS = [
    Sizes(1, 2, 2, 40, 50, 16, 16, 4, False),
    Sizes(2, 2, 1, 33, 47, 9, 20, 4, True),
    Sizes(1, 3, 1, 17, 70, 40, 5, 2, True),
    Sizes(1, 1, 1, 35, 9, 144, 144, 2, False),
]


@dataclass(frozen=True)
class PlannedText:
    """One kernel of a problem: its text and how it is started."""

    kernel: str
    text: str
    grid_threads: int
    group_threads: int

    def constant(self, name: str) -> str:
        """Value of a constant of the preamble."""
        for line in self.text.splitlines():
            words = line.rstrip(";").split()
            if words[:2] == ["constant", "constexpr"] and words[3] == name:
                return words[5]
        raise AssertionError(f"no constant {name}")

    @property
    def tiling(self) -> Tiling:
        """The extents that the text was made for."""
        return Tiling(int(self.constant("kRows")), int(self.constant("kStepRows")))


def dtype_name(sizes: Sizes) -> str:
    """The element type of a problem, chosen by its bytes."""
    return "float32" if sizes.element_bytes == 4 else "float16"


def planned_texts(sizes: Sizes) -> list[PlannedText]:
    """The kernels that the planner makes for a problem."""
    import flash_attn_mps.operators  # noqa: F401  (registers the operators)

    texts = torch.ops.flash_attn_mps.kernel_sources(
        [
            sizes.batch,
            sizes.query_heads,
            sizes.query_length,
            sizes.key_length,
            sizes.head_dim,
            sizes.value_head_dim,
        ],
        sizes.key_value_heads,
        dtype_name(sizes),
        sizes.is_causal,
    )
    planned = []
    for part in texts.split("//kernel ")[1:]:
        header, text = part.split("\n", 1)
        kernel, grid, group = header.split()
        planned.append(PlannedText(kernel, text, int(grid), int(group)))
    return planned


def shape(operand: str, sizes: Sizes) -> tuple[int, ...]:
    """Dense shape of an operand."""
    if operand in STATISTICS:
        return (sizes.batch, sizes.query_heads, sizes.query_length)
    is_key_side = operand.removeprefix("grad_") in ("key", "value")
    is_value_wide = operand in ("value", "output", "grad_output", "grad_value")
    return (
        sizes.batch,
        sizes.key_value_heads if is_key_side else sizes.query_heads,
        sizes.key_length if is_key_side else sizes.query_length,
        sizes.value_head_dim if is_value_wide else sizes.head_dim,
    )


def buffers(sizes: Sizes) -> list[Any]:
    """Arrays for all slots, and AttentionParams last."""
    element = NUMPY_TYPES[dtype_name(sizes)]
    arrays = [
        np.zeros(shape(name, sizes), np.float32 if name in STATISTICS else element)
        for name in OPERANDS
    ]
    layouts = b"".join(
        struct.pack("3q", *(stride // array.itemsize for stride in array.strides[:3]))
        for name, array in zip(OPERANDS, arrays, strict=True)
        if name not in STATISTICS
    )
    scale = 1 / math.sqrt(sizes.head_dim)
    numbers = struct.pack(
        "4I2f",
        sizes.query_heads,
        sizes.query_heads // sizes.key_value_heads,
        sizes.query_length,
        sizes.key_length,
        scale,
        scale * math.log2(math.e),
    )
    return [*arrays, np.frombuffer(layouts + numbers, np.uint8)]


def expected_counts(planned: PlannedText, sizes: Sizes) -> Counts:
    """The closed form for a planned kernel."""
    if planned.kernel == "attention_forward":
        return forward_counts(sizes, planned.tiling)
    if planned.kernel == "attention_delta":
        return delta_counts(sizes, planned.tiling)
    if planned.kernel == "attention_backward_query":
        return backward_query_counts(sizes, planned.tiling)
    return backward_key_value_counts(
        sizes,
        planned.tiling,
        wants_key=planned.constant("kWantsGradKey") == "true",
        wants_value=planned.constant("kWantsGradValue") == "true",
    )


def measured_counts(planned: PlannedText, sizes: Sizes) -> Counts:
    """What the simulator counts when the kernel runs."""
    from flash_attn_mps import simulator

    kernel = simulator.Library(planned.text, checks="all").kernel(planned.kernel)
    counters = kernel.dispatch(
        threads=planned.grid_threads,
        group=planned.group_threads,
        buffers=buffers(sizes),
    ).counters

    def bytes_of(direction: str) -> dict[str, int]:
        names = {name: f"bytes_{direction}.{name}" for name in OPERANDS}
        return {n: counters[key] for n, key in names.items() if counters.get(key)}

    return Counts(
        matrix_products=counters["matrix_products"],
        shuffles=counters["shuffles"],
        votes=counters["votes"],
        barriers=counters["threadgroup_barriers"] + counters["simdgroup_barriers"],
        loaded_bytes=bytes_of("loaded"),
        stored_bytes=bytes_of("stored"),
    )


@pytest.mark.parametrize("sizes", PROBLEMS, ids=str)
def test_counters_equal_the_closed_forms(sizes: Sizes) -> None:
    """Every kernel of the problem, every counter."""
    planned = planned_texts(sizes)
    assert planned
    for one in planned:
        assert measured_counts(one, sizes) == expected_counts(one, sizes), one.kernel
