# SPDX-License-Identifier: MIT
"""Attention with the contract of torch.nn.functional.

Broadcasts and calls the operators; computes nothing itself.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual

from flash_attn_mps import fallback
from flash_attn_mps.operators import raise_refusals

_OPERATOR = "flash_attn_mps::forward"


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Computes softmax(scale * query @ key^T) @ value without storing the scores.

    It runs where the tensors are: MPS tensors on the GPU, and on Linux CPU tensors on
    a simulated Apple GPU. Differentiable once, in query, key and value. Results are
    bit-identical from call to call.

    Args:
        query: [..., query_heads, query_length, head_dim], float32, float16 or bfloat16,
            rank >= 2, head_dim from 1 to 256. Leading dimensions broadcast with those
            of key and value.
        key: [..., key_value_heads, key_length, head_dim], dtype and device of query.
        value: [..., key_value_heads, key_length, value_head_dim], dtype and device of
            query, value_head_dim from 0 to 256.
        attn_mask: Must be None for now.
        dropout_p: Must be 0 for now.
        is_causal: Whether query row i sees only the keys j <= i (top-left aligned).
        scale: Factor of the scores; 1 / sqrt(head_dim) if None.
        enable_gqa: Whether consecutive query heads share a key and value head;
            query_heads must then be a multiple of key_value_heads.

    Returns:
        [..., query_heads, query_length, value_head_dim], dtype of query. A row without
        any key is 0.

    Raises:
        TypeError: If query, key, value or attn_mask is no tensor, or scale no number.
        RuntimeError: If shapes, dtypes or devices do not fit together.
        NotImplementedError: If the call needs a feature that is not there yet.

    Example:
        >>> import torch
        >>> from flash_attn_mps import scaled_dot_product_attention
        >>> device = "mps" if torch.backends.mps.is_available() else "cpu"
        >>> query, key, value = torch.randn(3, 1, 4, 16, 32, device=device)
        >>> scaled_dot_product_attention(query, key, value, is_causal=True).shape
        torch.Size([1, 4, 16, 32])
    """
    _check_types(query, key, value, attn_mask, scale)
    if not torch.compiler.is_compiling():
        inputs = (query, key, value)
        _refuse_forward_mode(inputs)
        raise_refusals(
            _OPERATOR,
            inputs if attn_mask is None else (*inputs, attn_mask),
            dropout_p=float(dropout_p),
            is_causal=bool(is_causal),
            enable_gqa=bool(enable_gqa),
            may_broadcast=True,
        )
        obstacle = fallback.obstacle_to(query, key, value, bool(is_causal))
        if obstacle:
            return fallback.answer_by_torch(
                obstacle,
                query,
                key,
                value,
                is_causal=bool(is_causal),
                scale=scale,
                enable_gqa=bool(enable_gqa),
            )
    elif attn_mask is not None or dropout_p != 0.0:
        raise NotImplementedError(
            f"{_OPERATOR}: attn_mask must be None and dropout_p 0; got another value."
        )
    has_shared_heads = not enable_gqa and _has_one_key_value_head(query, key, value)
    is_grouped = bool(enable_gqa) or has_shared_heads
    query, key, value = _broadcast(query, key, value, 3 if is_grouped else 2)
    output, _ = torch.ops.flash_attn_mps.forward(
        query, key, value, bool(is_causal), scale, is_grouped
    )
    return output  # type: ignore[no-any-return]


def _check_types(
    query: object, key: object, value: object, mask: object, scale: object
) -> None:
    inputs = (query, key, value)
    if not all(isinstance(argument, Tensor) for argument in inputs):
        names = [type(argument).__name__ for argument in inputs]
        raise TypeError(
            f"{_OPERATOR}: query, key and value must be tensors; got {names[0]}, "
            f"{names[1]} and {names[2]}."
        )
    if mask is not None and not isinstance(mask, Tensor):
        raise TypeError(
            f"{_OPERATOR}: attn_mask must be a tensor or None; got "
            f"{type(mask).__name__}."
        )
    if scale is not None and not hasattr(scale, "__float__"):
        raise TypeError(
            f"{_OPERATOR}: scale must be a number or None; got {type(scale).__name__}."
        )


def _refuse_forward_mode(tensors: tuple[Tensor, ...]) -> None:
    """Refuses tangents, which the operators would drop without a word."""
    duals = [unpack_dual(tensor) for tensor in tensors]  # type: ignore[no-untyped-call]
    if any(dual.tangent is not None for dual in duals):
        raise NotImplementedError(
            f"{_OPERATOR}: only reverse-mode derivatives are supported; got an input "
            f"with a tangent. Use torch.nn.functional.scaled_dot_product_attention "
            f"there."
        )


def _has_one_key_value_head(query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Whether the heads of key and value would broadcast from 1.

    The kernels then sum the gradients of that head themselves, which saves the
    memory of one gradient per query head.
    """
    if min(query.dim(), key.dim(), value.dim()) < 3:
        return False
    return bool(key.shape[-3] == 1 and value.shape[-3] == 1 and query.shape[-3] > 1)


def _broadcast(
    query: Tensor, key: Tensor, value: Tensor, trailing: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Expands all but the trailing dimensions; autograd sums the gradients."""
    tensors = (query, key, value)
    leading = [tensor.shape[:-trailing] for tensor in tensors]
    if leading[0] == leading[1] == leading[2]:
        return tensors
    common = torch.broadcast_shapes(*leading)  # type: ignore[no-untyped-call]
    expanded = [t.expand(*common, *t.shape[-trailing:]) for t in tensors]
    return expanded[0], expanded[1], expanded[2]
