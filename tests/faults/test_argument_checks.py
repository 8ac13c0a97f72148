# SPDX-License-Identifier: MIT
"""Fault A08: wrong arguments that were accepted and gave wrong values.

Exact texts are in tests/errors; here the reported inputs must raise.
"""

from __future__ import annotations

import pytest
import torch

import flash_attn_mps


def test_mask_together_with_is_causal_raises(device: torch.device) -> None:
    """A08 (a): zeros(8, 8) as mask with is_causal=True."""
    query = torch.randn(1, 1, 8, 8, device=device)
    mask = torch.zeros(8, 8, device=device)
    with pytest.raises(
        RuntimeError, match="Explicit attn_mask should not be set when is_causal=True"
    ) as caught:
        flash_attn_mps.scaled_dot_product_attention(
            query, query, query, mask, is_causal=True
        )
    assert type(caught.value) is RuntimeError


def test_key_and_value_of_unequal_length_raise(device: torch.device) -> None:
    """A08 (b): q (1, 1, 3, 8), k (1, 1, 5, 8), v (1, 1, 6, 8) and the reverse."""
    query = torch.randn(1, 1, 3, 8, device=device)
    key = torch.randn(1, 1, 5, 8, device=device)
    value = torch.randn(1, 1, 6, 8, device=device)
    for longer, shorter in ((key, value), (value, key)):
        with pytest.raises(RuntimeError, match="same length"):
            flash_attn_mps.scaled_dot_product_attention(query, longer, shorter)


def test_value_in_another_type_raises_outside_autocast(device: torch.device) -> None:
    """A08 (d): q and k float32, v float16, all (4, 4, 8)."""
    query = torch.randn(4, 4, 8, device=device)
    with pytest.raises(RuntimeError, match="same dtype") as caught:
        flash_attn_mps.scaled_dot_product_attention(query, query, query.half())
    assert type(caught.value) is RuntimeError
