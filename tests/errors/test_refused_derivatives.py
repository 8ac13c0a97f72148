# SPDX-License-Identifier: MIT
"""Refusals of derivatives that are not there: second ones and forward mode.

They must be refused in words, since a partial derivative would be wrong silently.
"""

from __future__ import annotations

import pytest
import torch

import flash_attn_mps

PREFIX = "flash_attn_mps::forward: "
ROW = (1, 2, 3, 8)


def test_second_derivative_is_refused_in_words(device: torch.device) -> None:
    """NotImplementedError with what to do instead."""
    leaf = torch.ones(ROW, device=device, requires_grad=True)
    output = flash_attn_mps.scaled_dot_product_attention(leaf, leaf, leaf)
    (gradient,) = torch.autograd.grad(output.sum(), leaf, create_graph=True)
    with pytest.raises(NotImplementedError) as caught:
        gradient.sum().backward()
    assert str(caught.value) == (
        "flash_attn_mps::backward: only first derivatives are supported; got a "
        "request to differentiate a gradient. Leave create_graph=False, or use "
        "torch.nn.functional.scaled_dot_product_attention there."
    )


def test_tangent_of_the_output_gradient_is_refused(device: torch.device) -> None:
    """Forward mode over reverse mode: a tangent would be dropped silently."""
    leaf = torch.ones(ROW, device=device, requires_grad=True)
    output = flash_attn_mps.scaled_dot_product_attention(leaf, leaf, leaf)
    ones = torch.ones_like(output)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(ones, ones)
        with pytest.raises(NotImplementedError, match="only first derivatives"):
            torch.autograd.grad(output, leaf, dual)


def test_forward_mode_derivative_is_refused_in_words(device: torch.device) -> None:
    """A tangent would be dropped silently otherwise."""
    query = torch.zeros(ROW, device=device)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(query, torch.ones_like(query))
        with pytest.raises(NotImplementedError) as caught:
            flash_attn_mps.scaled_dot_product_attention(query, dual, query)
    assert str(caught.value) == (
        f"{PREFIX}only reverse-mode derivatives are supported; got an input with a "
        "tangent. Use torch.nn.functional.scaled_dot_product_attention there."
    )
