# SPDX-License-Identifier: MIT
"""The table of what the package takes and refuses, by asking the package.

Each row is a call on tensors of the meta device: all checks, no computation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Call:
    """One row: shapes, dtype and the other arguments of a call."""

    label: str
    query: tuple[int, ...] = (2, 4, 16, 32)
    key: tuple[int, ...] = (2, 4, 24, 32)
    value: tuple[int, ...] = (2, 4, 24, 32)
    dtype: torch.dtype = torch.float32
    arguments: dict[str, Any] = field(default_factory=dict)

    def tensors(self) -> list[Tensor]:
        """Query, key and value without storage."""
        shapes = (self.query, self.key, self.value)
        return [torch.empty(s, dtype=self.dtype, device="meta") for s in shapes]


def with_head_dim(label: str, head_dim: int) -> Call:
    """A row about one head dimension."""
    query, key = (2, 4, 16, head_dim), (2, 4, 24, head_dim)
    return Call(label, query=query, key=key, value=key)


MASK = torch.empty(16, 24, dtype=torch.bool, device="meta")
CALLS = (
    Call("float32"),
    Call("float16", dtype=torch.float16),
    Call("bfloat16", dtype=torch.bfloat16),
    Call("float64", dtype=torch.float64),
    with_head_dim("head dimension 1", 1),
    with_head_dim("head dimension 100", 100),
    with_head_dim("head dimension 256", 256),
    with_head_dim("head dimension 257", 257),
    Call("value's head dimension differs", value=(2, 4, 24, 80)),
    Call(
        "no query, or no key",
        query=(2, 4, 0, 32),
        key=(2, 4, 0, 32),
        value=(2, 4, 0, 32),
    ),
    Call("is_causal", arguments={"is_causal": True}),
    Call("scale", arguments={"scale": 0.3}),
    Call(
        "enable_gqa: 4 query heads on 2 key and value heads",
        key=(2, 2, 24, 32),
        value=(2, 2, 24, 32),
        arguments={"enable_gqa": True},
    ),
    Call("rank 2", query=(16, 32), key=(24, 32), value=(24, 32)),
    Call("leading dimensions that broadcast", key=(1, 1, 24, 32), value=(4, 24, 32)),
    Call("attn_mask", arguments={"attn_mask": MASK}),
    Call("dropout_p > 0", arguments={"dropout_p": 0.1}),
)


def outcome(call: Call, attention: Callable[..., Tensor]) -> tuple[str, str]:
    """Whether the call is taken; if not, what the caller is told."""
    try:
        attention(*call.tensors(), **call.arguments)
    except (RuntimeError, NotImplementedError) as error:
        sentence = str(error).splitlines()[0].removeprefix("flash_attn_mps::forward: ")
        return "refused", f"{type(error).__name__}: {sentence}"
    return "yes", ""


def support_table() -> str:
    """The table in Markdown."""
    from flash_attn_mps import scaled_dot_product_attention

    rows = ["| argument | taken | otherwise |", "|---|---|---|"]
    for call in CALLS:
        taken, sentence = outcome(call, scaled_dot_product_attention)
        rows.append(f"| {call.label} | {taken} | {sentence} |")
    return "\n".join(rows)
