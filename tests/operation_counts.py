# SPDX-License-Identifier: MIT
"""Closed forms of what the attention kernels do, in sizes and tiling.

The formulas are those of "Operation counts" in docs/algorithm.md. A count is
per dispatch; products, shuffles and votes are counted once per simdgroup, bytes
as the sum over all lanes. Reads of the params struct are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FRAGMENT = 8
LANES = 32
FLOAT_BYTES = 4


@dataclass(frozen=True)
class Sizes:
    """One problem: what the kernels know at run time or are compiled for."""

    batch: int
    query_heads: int
    key_value_heads: int
    query_length: int
    key_length: int
    head_dim: int
    value_head_dim: int
    element_bytes: int
    is_causal: bool


@dataclass(frozen=True)
class Tiling:
    """Extents of one kernel's tiles, as its TilingPlan says."""

    rows_per_simdgroup: int
    step_rows: int


@dataclass(frozen=True)
class Counts:
    """What one dispatch does."""

    matrix_products: int = 0
    shuffles: int = 0
    votes: int = 0
    barriers: int = 0
    loaded_bytes: dict[str, int] = field(default_factory=dict)
    stored_bytes: dict[str, int] = field(default_factory=dict)


def fragments(extent: int) -> int:
    """Fragments that hold `extent` columns; never none."""
    return max(1, -(-extent // FRAGMENT))


def first_rows(length: int, tiling: Tiling) -> range:
    """First row of every simdgroup that owns a row."""
    return range(0, length, tiling.rows_per_simdgroup)


def key_blocks(sizes: Sizes, tiling: Tiling) -> int:
    """Key blocks that all query-owning simdgroups of a dispatch visit."""
    blocks = 0
    for first in first_rows(sizes.query_length, tiling):
        end = sizes.key_length
        if sizes.is_causal:
            end = min(end, first + tiling.rows_per_simdgroup)
        blocks += -(-end // tiling.step_rows)
    return blocks * sizes.batch * sizes.query_heads


def query_blocks(sizes: Sizes, tiling: Tiling) -> int:
    """Query blocks that all key-owning simdgroups of a dispatch visit."""
    blocks = 0
    step = tiling.step_rows
    for first in first_rows(sizes.key_length, tiling):
        begin = first // step * step if sizes.is_causal else 0
        blocks += max(0, -(-(sizes.query_length - begin) // step))
    return blocks * sizes.batch * sizes.query_heads


def forward_counts(sizes: Sizes, tiling: Tiling) -> Counts:
    """Counts of attention_forward."""
    rows, step = tiling.rows_per_simdgroup, tiling.step_rows
    d, dv, s = sizes.head_dim, sizes.value_head_dim, sizes.element_bytes
    blocks = key_blocks(sizes, tiling)
    heads = sizes.batch * sizes.query_heads
    simdgroups = heads * len(first_rows(sizes.query_length, tiling))
    row_fragments = rows // FRAGMENT
    query_rows = heads * sizes.query_length
    return Counts(
        matrix_products=blocks
        * row_fragments
        * (step // FRAGMENT)
        * (fragments(d) + fragments(dv)),
        shuffles=2 * row_fragments * (blocks + simdgroups),
        loaded_bytes={
            "query": blocks * rows * d * s,
            "key": blocks * step * d * s,
            "value": blocks * step * dv * s,
        },
        stored_bytes={
            "output": query_rows * dv * s,
            "log_sum_exps": query_rows * FLOAT_BYTES,
        },
    )


def delta_counts(sizes: Sizes, tiling: Tiling) -> Counts:
    """Counts of attention_delta."""
    rows = tiling.rows_per_simdgroup
    heads = sizes.batch * sizes.query_heads
    simdgroups = heads * len(first_rows(sizes.query_length, tiling))
    bytes_read = simdgroups * rows * sizes.value_head_dim * sizes.element_bytes
    return Counts(
        shuffles=2 * (rows // FRAGMENT) * simdgroups,
        loaded_bytes={"output": bytes_read, "grad_output": bytes_read},
        stored_bytes={"deltas": heads * sizes.query_length * FLOAT_BYTES},
    )


def backward_query_counts(sizes: Sizes, tiling: Tiling) -> Counts:
    """Counts of attention_backward_query."""
    rows, step = tiling.rows_per_simdgroup, tiling.step_rows
    d, dv, s = sizes.head_dim, sizes.value_head_dim, sizes.element_bytes
    blocks = key_blocks(sizes, tiling)
    heads = sizes.batch * sizes.query_heads
    simdgroups = heads * len(first_rows(sizes.query_length, tiling))
    statistic = simdgroups * (rows // FRAGMENT) * LANES * FLOAT_BYTES
    return Counts(
        matrix_products=blocks
        * (rows // FRAGMENT)
        * (step // FRAGMENT)
        * (2 * fragments(d) + fragments(dv)),
        shuffles=2 * (rows // FRAGMENT) * simdgroups,
        loaded_bytes={
            "query": blocks * rows * d * s,
            "key": blocks * 2 * step * d * s,
            "value": blocks * step * dv * s,
            "grad_output": blocks * rows * dv * s,
            "log_sum_exps": statistic,
            "deltas": statistic,
        },
        stored_bytes={"grad_query": heads * sizes.query_length * d * s},
    )


def backward_key_value_counts(
    sizes: Sizes, tiling: Tiling, *, wants_key: bool, wants_value: bool
) -> Counts:
    """Counts of attention_backward_key_value for one choice of gradients."""
    rows, step = tiling.rows_per_simdgroup, tiling.step_rows
    d, dv, s = sizes.head_dim, sizes.value_head_dim, sizes.element_bytes
    blocks = query_blocks(sizes, tiling)
    statistic = blocks * (step // FRAGMENT) * 2 * LANES * FLOAT_BYTES
    key_rows = sizes.batch * sizes.key_value_heads * sizes.key_length
    columns = fragments(d)
    loaded = {
        "query": blocks * (2 if wants_key else 1) * step * d * s,
        "key": blocks * rows * d * s,
        "grad_output": blocks * (int(wants_key) + int(wants_value)) * step * dv * s,
        "log_sum_exps": statistic,
    }
    stored = {}
    if wants_value:
        columns += fragments(dv)
        stored["grad_value"] = key_rows * dv * s
    if wants_key:
        columns += fragments(dv) + fragments(d)
        loaded["value"] = blocks * rows * dv * s
        loaded["deltas"] = statistic
        stored["grad_key"] = key_rows * d * s
    return Counts(
        matrix_products=blocks * (rows // FRAGMENT) * (step // FRAGMENT) * columns,
        loaded_bytes=loaded,
        stored_bytes=stored,
    )
