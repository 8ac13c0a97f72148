# SPDX-License-Identifier: MIT
"""The definition of attention in plain torch.

Tests and documents use it; it is slow, stores every score, and runs anywhere.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def reference_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> tuple[Tensor, Tensor]:
    """Computes attention by its formula, in the dtype of its inputs.

    Args:
        query: [..., query_heads, query_length, head_dim].
        key: [..., key_value_heads, key_length, head_dim].
        value: [..., key_value_heads, key_length, value_head_dim].
        is_causal: Whether query row i sees only the keys j <= i.
        scale: Factor of the scores; 1 / sqrt(head_dim) if None.
        enable_gqa: Whether consecutive query heads share a key and value head.

    Returns:
        Output [..., query_heads, query_length, value_head_dim] and log_sum_exp
        [..., query_heads, query_length], natural logarithm. A row without any key has
        output 0 and log_sum_exp -inf, and contributes nothing to a gradient.

    Raises:
        RuntimeError: If the shapes do not fit together; the text is torch's.

    Example:
        >>> import torch
        >>> from flash_attn_mps.reference import reference_attention
        >>> query, key, value = torch.randn(3, 2, 5, 8, dtype=torch.float64)
        >>> output, log_sum_exp = reference_attention(query, key, value)
        >>> log_sum_exp.shape
        torch.Size([2, 5])
    """
    if scale is None:
        scale = 1.0 / math.sqrt(query.shape[-1])
    if enable_gqa and key.shape[-3] > 0:
        group = query.shape[-3] // key.shape[-3]
        key = key.repeat_interleave(group, dim=-3)
        value = value.repeat_interleave(group, dim=-3)
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        scores = scores.masked_fill(hidden.triu(1), -math.inf)
    if scores.shape[-1] == 0:
        return scores @ value, scores.sum(-1) - math.inf
    log_sum_exp = scores.logsumexp(-1)
    return scores.softmax(-1) @ value, log_sum_exp
