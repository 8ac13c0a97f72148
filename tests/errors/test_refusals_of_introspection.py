# SPDX-License-Identifier: MIT
"""Refusals of the operators that take no tensors: `explain` and `refusals`."""

from __future__ import annotations

import pytest
import torch

import flash_attn_mps  # noqa: F401 - registers the operators
from tests.errors.test_refusals import HEAD_DIM, MULTIPLE, VALUE_DIM


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        (
            [1, 2, 3],
            "there must be 5 sizes, batch, query heads, query length, key length "
            "and head dimension; got 3.",
        ),
        ([1, 2, -3, 4, 8], "sizes must be >= 0; got -3."),
        ([1, 3, 4, 4, 8], MULTIPLE + "3 query heads and 2 key and value heads."),
        ([1, 2, 4, 4, 300], f"{HEAD_DIM}300.\n{VALUE_DIM}300."),
    ],
)
def test_explanation_of_an_impossible_problem_is_refused(
    sizes: list[int], text: str
) -> None:
    """`explain` says what the operators would say."""
    prefix = "flash_attn_mps::explain: "
    with pytest.raises(RuntimeError) as caught:
        torch.ops.flash_attn_mps.explain(sizes, 2, "float32", False)
    lines = [prefix + line for line in text.split("\n")]
    assert str(caught.value) == "\n".join(lines)


@pytest.mark.parametrize(
    ("ranks", "sizes", "names", "text"),
    [
        (
            [1, 1],
            [2, 2],
            "float32,float32",
            "there must be 3, 4 or 6 ranks and as many dtypes and devices; got 2, 2 "
            "and 2.",
        ),
        (
            [1, 1, 1],
            [2, 2],
            "float32,float32,float32",
            "ranks must add up to the number of sizes; got 2 sizes.",
        ),
    ],
)
def test_operator_of_refusals_refuses_inconsistent_facts(
    ranks: list[int], sizes: list[int], names: str, text: str
) -> None:
    """The operator behind all refusals checks its own arguments."""
    devices = names.replace("float32", "cpu")
    with pytest.raises(RuntimeError) as caught:
        torch.ops.flash_attn_mps.refusals(
            "name", ranks, sizes, names, devices, 0.0, False, False, False
        )
    assert str(caught.value) == f"flash_attn_mps::refusals: {text}"
