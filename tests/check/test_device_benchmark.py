# SPDX-License-Identifier: MIT
"""The benchmark that a Mac runs makes a row for each pass and both attentions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch

from benchmarks import attention_on_device


def test_benchmark_writes_a_row_for_each_pass(
    device: torch.device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.json"
    arguments = ["benchmark", "--device", device.type, "--json", str(path)]
    arguments += ["--lengths", "16", "--head-dims", "8"]
    monkeypatch.setattr(sys, "argv", arguments)
    attention_on_device.main()
    content = json.loads(path.read_text())
    assert [row["pass"] for row in content["rows"]] == ["forward", "training"]
    for row in content["rows"]:
        assert row["flash_attn_mps_ms"] > 0
        assert row["torch_ms"] > 0
    assert content["machine"]["torch"] == torch.__version__


def test_too_little_memory_is_a_gap_and_other_errors_are_errors() -> None:
    cpu = torch.device("cpu")

    def fails(text: str) -> None:
        raise RuntimeError(text)

    full = "MPS backend out of memory"
    assert attention_on_device.median_milliseconds(lambda: fails(full), cpu) is None
    with pytest.raises(RuntimeError, match="something else"):
        attention_on_device.median_milliseconds(lambda: fails("something else"), cpu)
