# SPDX-License-Identifier: MIT
"""The comparison with float64 accepts right kernels and names wrong ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from flash_attn_mps.check import kernels
from flash_attn_mps.check.kernels import Problem, Results, compare
from flash_attn_mps.check.report import CheckFailedError, Context

# With one visible key all weights are one: the smallest allowed errors.
ONE_KEY = Problem("float32", True, 8, 8, (3, 1, 1, 70))
MANY_KEYS = Problem("float32", False, 8, 8, (2, 1, 19, 23))


@pytest.mark.parametrize("problem", [ONE_KEY, MANY_KEYS], ids=lambda p: p.name())
def test_right_kernels_are_accepted(problem: Problem, device: torch.device) -> None:
    assert 0 <= compare(problem, Context(device, is_quick=True)) <= 1


def changed(change: Callable[[str, Tensor], Tensor]) -> Callable[..., Results]:
    """Returns kernels whose results go through `change`."""

    def by_changed_kernels(
        problem: Problem, inputs: list[Tensor], device: torch.device
    ) -> Results:
        results = kernels.by_formula(problem, inputs)
        return {name: change(name, tensor) for name, tensor in results.items()}

    return by_changed_kernels


@pytest.mark.parametrize("wrong", ["output", "log_sum_exp", "grad_query", "grad_value"])
def test_result_that_is_one_percent_off_is_named(
    wrong: str, monkeypatch: pytest.MonkeyPatch, device: torch.device
) -> None:
    monkeypatch.setattr(
        kernels,
        "by_kernels",
        changed(lambda name, tensor: tensor * (1.01 if name == wrong else 1.0)),
    )
    with pytest.raises(CheckFailedError, match=f"{wrong} is wrong by"):
        compare(MANY_KEYS, Context(device, is_quick=True))


def test_not_a_number_is_named(
    monkeypatch: pytest.MonkeyPatch, device: torch.device
) -> None:
    monkeypatch.setattr(
        kernels, "by_kernels", changed(lambda name, tensor: tensor * torch.nan)
    )
    with pytest.raises(CheckFailedError, match="output"):
        compare(MANY_KEYS, Context(device, is_quick=True))


def test_result_that_changes_is_named(
    monkeypatch: pytest.MonkeyPatch, device: torch.device
) -> None:
    calls: list[str] = []

    def drift(name: str, tensor: Tensor) -> Tensor:
        calls.append(name)
        return tensor + 1e-7 * len(calls) if name == "grad_key" else tensor

    monkeypatch.setattr(kernels, "by_kernels", changed(drift))
    with pytest.raises(CheckFailedError, match="grad_key changes from run to run"):
        compare(MANY_KEYS, Context(device, is_quick=True))
