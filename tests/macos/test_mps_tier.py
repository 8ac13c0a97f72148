# SPDX-License-Identifier: MIT
"""The tier of a hosted Mac: tried step by step, told to the job, never fatal."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tools.macos import mps_tier
from tools.macos.mps_tier import Tier, Verdict, find_tier

WORKS = Tier("device", "a device is there", "pass")
FAILS = Tier("kernels", "kernels run", "raise RuntimeError('out of memory')")
DIES = Tier("kernels", "kernels run", "import os; os._exit(7)")


def test_all_tiers_reached_runs_kernels() -> None:
    verdict = find_tier((WORKS, Tier("kernels", "kernels run", "pass")))
    assert verdict == Verdict("kernels", "")
    assert verdict.runs_kernels


@pytest.mark.parametrize(
    ("tier", "reason"),
    [(FAILS, "RuntimeError: out of memory"), (DIES, "exit code 7")],
)
def test_failing_tier_is_named_with_its_reason(tier: Tier, reason: str) -> None:
    verdict = find_tier((WORKS, tier))
    assert verdict == Verdict("device", f"kernels run: {reason}")
    assert not verdict.runs_kernels
    assert verdict.sentence() == (
        f"MPS tier: device. What needs the GPU was left out: kernels run: {reason}"
    )


def test_tier_without_an_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mps_tier, "TIMEOUT_SECONDS", 0.2)
    sleeps = Tier("device", "a device is there", "import time; time.sleep(60)")
    assert find_tier((sleeps,)) == Verdict(
        "none", "a device is there: no answer in 0.2 s"
    )


def test_command_tells_github_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mps_tier, "find_tier", lambda: Verdict("tensors", "why"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.setattr(sys, "argv", ["tier", "--json", str(tmp_path / "tier.json")])
    mps_tier.main()
    assert (tmp_path / "output").read_text() == "runs_kernels=false\n"
    assert "MPS tier: tensors." in (tmp_path / "summary").read_text()
    assert json.loads((tmp_path / "tier.json").read_text())["tier"] == "tensors"
