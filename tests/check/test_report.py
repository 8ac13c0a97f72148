# SPDX-License-Identifier: MIT
"""Steps end as passed, failed or left out, and the report says so."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from flash_attn_mps.check.report import (
    CheckFailedError,
    Context,
    Outcome,
    Report,
    Step,
    StepLeftOutError,
    run_step,
)

CONTEXT = Context(torch.device("cpu"), is_quick=True)


def passes(context: Context) -> Outcome:
    return Outcome("as it must be", {"figure": 3})


def fails(context: Context) -> Outcome:
    raise CheckFailedError("expected 1, got 2")


def breaks(context: Context) -> Outcome:
    raise ValueError("no such thing")


def cannot(context: Context) -> Outcome:
    raise StepLeftOutError("needs a Mac")


PASSES = Step("passes", passes)
FAILS = Step("fails", fails)
BREAKS = Step("breaks", breaks)
CANNOT = Step("cannot", cannot)


def report_of(*steps: Step) -> Report:
    """Returns the report of some steps."""
    results = [run_step(step, CONTEXT) for step in steps]
    return Report({"device": "none"}, results)


def test_step_ends_as_it_should() -> None:
    report = report_of(PASSES, FAILS, BREAKS, CANNOT)
    assert [(r.verdict, r.detail) for r in report.results] == [
        ("passed", "as it must be"),
        ("failed", "expected 1, got 2"),
        ("failed", "ValueError: no such thing"),
        ("left out", "needs a Mac"),
    ]
    assert report.results[0].figures == {"figure": 3}
    assert report.results[1].line().startswith("failed ")
    assert report.results[1].line().endswith(" s  fails: expected 1, got 2")


def test_verdict_names_the_failed_steps() -> None:
    report = report_of(PASSES, FAILS, BREAKS, CANNOT)
    assert report.verdict().startswith("verdict: 2 of 4 steps failed: fails, breaks.")
    assert report_of(PASSES, CANNOT).verdict() == "verdict: 1 steps passed, 1 left out"


def test_json_holds_facts_steps_and_verdict(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    report_of(PASSES, FAILS).write_json(path)
    content = json.loads(path.read_text())
    assert content["facts"] == {"device": "none"}
    assert [step["name"] for step in content["steps"]] == ["passes", "fails"]
    assert content["failed"] == ["fails"]
    assert content["verdict"].startswith("verdict: 1 of 2 steps failed")
