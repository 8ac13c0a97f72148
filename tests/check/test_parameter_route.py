# SPDX-License-Identifier: MIT
"""Kernel parameters give the same results as bytes and as a device tensor."""

from __future__ import annotations

import pytest
import torch

import flash_attn_mps.operators  # noqa: F401  registers the operators
from flash_attn_mps.attention import scaled_dot_product_attention

OPERATORS = torch.ops.flash_attn_mps


def results(device: torch.device) -> list[torch.Tensor]:
    """Returns outputs and gradients of calls with many different parameters."""
    generator = torch.Generator().manual_seed(7)
    inputs = [torch.randn(2, 4, 45, 16, generator=generator) for _ in range(3)]
    found = []
    for length in (1, 8, 17, 45):
        leaves = [t[:, :, :length].to(device).requires_grad_() for t in inputs]
        output = scaled_dot_product_attention(
            leaves[0], leaves[1], leaves[2], scale=0.1 * length
        )
        found += [output.detach(), *torch.autograd.grad(output.sum(), leaves)]
    return found


def test_both_routes_agree_bit_for_bit(
    monkeypatch: pytest.MonkeyPatch, device: torch.device
) -> None:
    monkeypatch.setenv("FLASH_ATTN_MPS_PARAMETER_ROUTE", "tensor")
    assert OPERATORS.parameter_route() == "device tensor"
    before = OPERATORS.parameter_buffer_count()
    by_tensor = results(device)
    assert OPERATORS.parameter_buffer_count() > before
    monkeypatch.delenv("FLASH_ATTN_MPS_PARAMETER_ROUTE")
    by_default = results(device)
    for got, wanted in zip(by_default, by_tensor, strict=True):
        assert torch.equal(got, wanted)


def test_bytes_need_no_parameter_buffer(
    monkeypatch: pytest.MonkeyPatch, simulated: bool, device: torch.device
) -> None:
    monkeypatch.delenv("FLASH_ATTN_MPS_PARAMETER_ROUTE", raising=False)
    if OPERATORS.parameter_route() != "torch_mps_set_arg_bytes":
        assert not simulated  # the simulator has the newer function
        return
    before = OPERATORS.parameter_buffer_count()
    results(device)
    assert OPERATORS.parameter_buffer_count() == before
