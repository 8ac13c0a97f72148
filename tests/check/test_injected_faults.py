# SPDX-License-Identifier: MIT
"""Faults injected into the simulated GPU are reported by `check`, each by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

from flash_attn_mps.__main__ import main
from tests.processes import run_python

pytestmark = pytest.mark.usefixtures("simulator_only")


class Fault(NamedTuple):
    """A fault, the steps made, those that must fail, and a text they show."""

    value: str
    steps: list[str]
    failing: list[str]
    text: str


FAULTS = [
    Fault(
        "lane_map",
        ["lane layout", "barriers"],
        ["lane layout float32", "lane layout float16", "lane layout bfloat16"],
        "which element a lane holds (lane, element) differs at (0, 0): expected 0.0, "
        "got 8.0",
    ),
    Fault(
        "product",
        ["lane layout float32", "lane exchange float32", "numbers float32"],
        ["lane layout float32", "numbers float32"],
        "a product (lane, element) differs",
    ),
    Fault(
        "compile:attention_backward_query",
        ["compile attention_delta", "compile attention_backward_query"],
        ["compile attention_backward_query"],
        "attention_backward_query float16 causal",
    ),
]


def check(directory: Path, fault: Fault) -> tuple[int, str, dict[str, Any]]:
    """Runs the command with a fault: exit code, output and report."""
    command = ["-m", "flash_attn_mps", "check", "--quick", "--json", "report.json"]
    result = run_python(
        [*command, "--only", *fault.steps],
        directory,
        FLASH_ATTN_MPS_SIMULATOR_FAULT=fault.value,
        FLASH_ATTN_MPS_SIMULATOR_CHECKS="none",
    )
    report = json.loads((directory / "report.json").read_text())
    return result.returncode, result.stdout, report


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.value)
def test_injected_fault_is_reported(fault: Fault, tmp_path: Path) -> None:
    code, output, report = check(tmp_path, fault)
    assert code == 1
    assert report["failed"] == fault.failing
    assert fault.text in output
    assert output.splitlines()[-1].startswith(
        f"verdict: {len(fault.failing)} of {len(report['steps'])} steps failed: "
    )


def test_no_fault_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    words = ["lane layout", "barriers", "arithmetic", "64-bit", "order", "threads"]
    options = ["check", "--quick", "--json", str(path), "--only", *words]
    assert main(options) == 0, capsys.readouterr().out
    report = json.loads(path.read_text())
    verdicts = {step["name"]: step["verdict"] for step in report["steps"]}
    assert len(verdicts) == 11
    assert set(verdicts.values()) <= {"passed", "left out"}
    assert report["verdict"].startswith("verdict: ")
    assert report["facts"]["torch"] == torch.__version__


def test_unknown_step_ends_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--only", "no such step"]) == 2
    output = capsys.readouterr().out
    assert "no step's name contains any of: no such step" in output
