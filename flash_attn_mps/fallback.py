# SPDX-License-Identifier: MIT
"""Decides when torch's own attention has to answer a call instead of the kernels.

That is so where the GPU failed the probe of its first call, or where a kernel that
the call needs does not compile. What a call is not allowed to ask for is refused
elsewhere.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple

import torch
from torch import Tensor

# Taken now: a program may later replace the function by ours.
torch_attention = torch.nn.functional.scaled_dot_product_attention


class CallKind(NamedTuple):
    """What a compiled kernel depends on, and so an obstacle to it."""

    device_type: str
    dtype: torch.dtype
    head_dim: int
    value_head_dim: int
    is_causal: bool
    wanted_gradients: tuple[bool, bool, bool]


_obstacles: dict[CallKind, str] = {}
_announced: set[str] = set()


def is_examined(device_type: str) -> bool:
    """Says whether calls on a device are examined before kernels answer them.

    On MPS they are. The simulator is as the kernels expect by construction, so there
    only FLASH_ATTN_MPS_PROBE=1 asks for it, as tests do.
    """
    wish = os.environ.get("FLASH_ATTN_MPS_PROBE", "")
    return wish == "1" or (device_type == "mps" and wish != "0")


def obstacle_to(query: Tensor, key: Tensor, value: Tensor, is_causal: bool) -> str:
    """Returns why the kernels cannot answer a call; "" if they can.

    The first call of a kind probes the device and compiles what the call needs; later
    ones only look the answer up.

    Args:
        query: [..., query_length, head_dim], well formed together with the others.
        key: [..., key_length, head_dim].
        value: [..., key_length, value_head_dim].
        is_causal: As in scaled_dot_product_attention.

    Returns:
        One sentence, or "".

    Raises:
        RuntimeError: With that sentence, if FLASH_ATTN_MPS_FALLBACK=0.

    Example:
        >>> import torch
        >>> from flash_attn_mps.fallback import obstacle_to
        >>> query, key, value = torch.randn(3, 1, 4, 16, 32)
        >>> obstacle_to(query, key, value, is_causal=False)
        ''
    """
    if not is_examined(query.device.type):
        return ""
    kind = CallKind(
        query.device.type,
        query.dtype,
        query.shape[-1],
        value.shape[-1],
        is_causal,
        _wanted_gradients(query, key, value),
    )
    if kind not in _obstacles:
        _obstacles[kind] = torch.ops.flash_attn_mps.call_obstacle(
            query.detach(), kind.value_head_dim, is_causal, list(kind.wanted_gradients)
        )
    obstacle = _obstacles[kind]
    if obstacle and os.environ.get("FLASH_ATTN_MPS_FALLBACK") == "0":
        raise RuntimeError(f"flash_attn_mps: {obstacle}")
    return obstacle


def _wanted_gradients(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[bool, bool, bool]:
    if not torch.is_grad_enabled():
        return False, False, False
    return query.requires_grad, key.requires_grad, value.requires_grad


def answer_by_torch(obstacle: str, *arguments: Any, **options: Any) -> Tensor:
    """Returns torch's own attention and warns once for each obstacle.

    Args:
        obstacle: What obstacle_to returned.
        *arguments: Those of torch.nn.functional.scaled_dot_product_attention.
        **options: Likewise.

    Returns:
        The attention, with torch's own gradients.

    Example:
        >>> import torch, warnings
        >>> from flash_attn_mps.fallback import answer_by_torch
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     answer_by_torch("an example", *torch.randn(3, 1, 2, 4, 8)).shape
        torch.Size([1, 2, 4, 8])
    """
    if obstacle not in _announced:
        _announced.add(obstacle)
        warnings.warn(
            f"flash_attn_mps: torch's own attention is used here, since {obstacle} "
            f"(FLASH_ATTN_MPS_FALLBACK=0 raises instead)",
            RuntimeWarning,
            stacklevel=3,
        )
    return torch_attention(*arguments, **options)
