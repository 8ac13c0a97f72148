# SPDX-License-Identifier: MIT
"""What torch has to know about the operators besides their kernels.

Fake implementations, gradients and the raising of refusals. The kernels, their
schemas and all checks are in the compiled library.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual

from flash_attn_mps import _extension as _extension  # registers the operators

_NAMESPACE = torch.ops.flash_attn_mps
_ERROR_CLASSES: dict[str, type[Exception]] = {
    "RuntimeError": RuntimeError,
    "NotImplementedError": NotImplementedError,
}


class PipelineCacheInfo(NamedTuple):
    """State of the cache of compiled kernels."""

    hits: int
    misses: int
    size: int


def pipeline_cache_info() -> PipelineCacheInfo:
    """Returns how often compiled kernels were reused.

    Returns:
        (hits, misses, size): look-ups that found a compiled kernel, look-ups that
        had to compile one, and the number of kernels held. A kernel does not depend
        on lengths, strides, scale, or the number of heads.

    Example:
        >>> import flash_attn_mps
        >>> hits, misses, size = flash_attn_mps.pipeline_cache_info()
        >>> misses >= size >= 0
        True
    """
    return PipelineCacheInfo(*_NAMESPACE.pipeline_cache_info())


# Refusals ---------------------------------------------------------------------


class _Facts(NamedTuple):
    """What the checks know of a tensor."""

    shape: tuple[int, ...]
    dtype: str
    device: str


class _Flags(NamedTuple):
    """Arguments of a call that are no tensors."""

    dropout_p: float
    is_causal: bool
    enable_gqa: bool
    may_broadcast: bool


def _plain_size(size: int | torch.SymInt) -> int:
    """A size as a number; of a symbolic one the hint, so that no guard is made.

    A symbol without a hint counts as 1, which no check refuses; the operator
    checks the numbers again when it runs.
    """
    if isinstance(size, torch.SymInt):
        hint = size.node.hint
        return 1 if hint is None else int(hint)
    return size


def _facts(tensor: Tensor) -> _Facts:
    shape = tuple(_plain_size(size) for size in tensor.shape)
    return _Facts(shape, str(tensor.dtype).removeprefix("torch."), str(tensor.device))


@functools.lru_cache(maxsize=1024)
def _refusals(
    operator_name: str, tensors: tuple[_Facts, ...], flags: _Flags
) -> tuple[str, str]:
    """Class and sentences from the compiled checks; ("", "") if there are none."""
    return _NAMESPACE.refusals(  # type: ignore[no-any-return]
        operator_name,
        [len(facts.shape) for facts in tensors],
        [size for facts in tensors for size in facts.shape],
        ",".join(facts.dtype for facts in tensors),
        ",".join(facts.device for facts in tensors),
        *flags,
    )


def raise_refusals(
    operator_name: str,
    tensors: Sequence[Tensor],
    *,
    is_causal: bool,
    enable_gqa: bool,
    dropout_p: float = 0.0,
    may_broadcast: bool = False,
) -> None:
    """Raises what the compiled checks refuse.

    Args:
        operator_name: Prefix of every sentence.
        tensors: query, key and value; then attn_mask, or grad_output, output and
            log_sum_exp.
        is_causal: As in scaled_dot_product_attention.
        enable_gqa: As in scaled_dot_product_attention.
        dropout_p: As in scaled_dot_product_attention.
        may_broadcast: Whether leading dimensions may differ.

    Raises:
        RuntimeError: If an argument is wrong.
        NotImplementedError: If all that stands against the call is a feature that
            is not there.
    """
    flags = _Flags(dropout_p, is_causal, enable_gqa, may_broadcast)
    kind, sentences = _refusals(
        operator_name, tuple(_facts(tensor) for tensor in tensors), flags
    )
    if kind:
        raise _ERROR_CLASSES[kind](sentences)


# Fake implementations ---------------------------------------------------------


def _result_like(tensor: Tensor, last_size: int | torch.SymInt) -> Tensor:
    """An empty result laid out as csrc/torch/allocation.cpp lays it out.

    That is torch.empty_like's layout with another size of the last dimension, or
    row-major where the input has to be copied.
    """
    shape = (*tensor.shape[:-1], last_size)
    if tensor.stride(-1) != 1 or not _folds(tensor):
        return tensor.new_empty(shape)
    like = torch.empty_like(tensor)
    size = tensor.shape[-1]
    if (size > 1 and like.stride(-1) != 1) or not _folds(like):
        return tensor.new_empty(shape)
    strides: tuple[int | torch.SymInt, ...] = like.stride()[:-1]
    if last_size != size:
        strides = tuple(stride // size * max(last_size, 1) for stride in strides)
    return tensor.new_empty_strided(shape, (*strides, 1))


def _folds(tensor: Tensor) -> bool:
    """Whether one stride walks all dimensions in front of the heads."""
    if tensor.dim() <= 4 or 0 in tensor.shape[:-3]:
        return True
    expected: int | torch.SymInt | None = None
    for size, stride in zip(
        reversed(tensor.shape[:-3]), reversed(tensor.stride()[:-3]), strict=True
    ):
        if size == 1:
            continue
        if expected is not None and stride != expected:
            return False
        expected = stride * size
    return True


def _fake_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> tuple[Tensor, Tensor]:
    raise_refusals(
        "flash_attn_mps::forward",
        (query, key, value),
        is_causal=is_causal,
        enable_gqa=enable_gqa,
    )
    log_sum_exp = query.new_empty(query.shape[:-1], dtype=torch.float32)
    return _result_like(query, value.shape[-1]), log_sum_exp


def _fake_backward(
    grad_output: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    log_sum_exp: Tensor,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    raise_refusals(
        "flash_attn_mps::backward",
        (query, key, value, grad_output, output, log_sum_exp),
        is_causal=is_causal,
        enable_gqa=enable_gqa,
    )
    if len(output_mask) != 3:  # the kernels' sentence, in csrc/torch
        raise RuntimeError(
            f"flash_attn_mps::backward: output_mask must have 3 entries, for query, "
            f"key and value; got {len(output_mask)}."
        )
    grad_query, grad_key, grad_value = (
        _result_like(tensor, tensor.shape[-1]) if is_wanted else None
        for tensor, is_wanted in zip((query, key, value), output_mask, strict=True)
    )
    return grad_query, grad_key, grad_value


torch.library.register_fake("flash_attn_mps::forward", _fake_forward)
torch.library.register_fake("flash_attn_mps::backward", _fake_backward)


# Gradients --------------------------------------------------------------------

_SECOND_DERIVATIVE = (
    "flash_attn_mps::backward: only first derivatives are supported; got a "
    "request to differentiate a gradient. Leave create_graph=False, or use "
    "torch.nn.functional.scaled_dot_product_attention there."
)


def _save_forward(
    ctx: Any,
    inputs: tuple[Any, ...],
    output: tuple[Tensor, Tensor],
) -> None:
    query, key, value, is_causal, scale, enable_gqa = inputs
    attention, log_sum_exp = output
    ctx.set_materialize_grads(False)
    ctx.mark_non_differentiable(log_sum_exp)
    ctx.save_for_backward(query, key, value, attention, log_sum_exp)
    ctx.flags = (is_causal, scale, enable_gqa)


def _differentiate_forward(
    ctx: Any,
    grad_output: Tensor | None,
    grad_log_sum_exp: Tensor | None,
) -> tuple[Tensor | None, ...]:
    needed = list(ctx.needs_input_grad[:3])
    if grad_output is None or not any(needed):
        return (None,) * 6
    if unpack_dual(grad_output).tangent is not None:  # type: ignore[no-untyped-call]
        raise NotImplementedError(_SECOND_DERIVATIVE)
    query, key, value, output, log_sum_exp = ctx.saved_tensors
    gradients = _NAMESPACE.backward(
        grad_output, query, key, value, output, log_sum_exp, *ctx.flags, needed
    )
    return (*gradients, None, None, None)


def _save_nothing(
    ctx: Any,
    inputs: tuple[Any, ...],
    output: tuple[Tensor | None, ...],
) -> None:
    pass


def _refuse_second_derivative(
    ctx: Any,
    *gradients: Tensor | None,
) -> None:
    raise NotImplementedError(_SECOND_DERIVATIVE)


torch.library.register_autograd(
    "flash_attn_mps::forward", _differentiate_forward, setup_context=_save_forward
)
torch.library.register_autograd(
    "flash_attn_mps::backward", _refuse_second_derivative, setup_context=_save_nothing
)
