# SPDX-License-Identifier: MIT
"""Steps of a check, how each ended, and the report of all; judges no numbers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch

Verdict = Literal["passed", "failed", "left out"]


class CheckFailedError(Exception):
    """A step did not show what it should; the text says what it showed."""


class StepLeftOutError(Exception):
    """A step cannot be made here; the text says why."""


@dataclass(frozen=True)
class Context:
    """Where and how thoroughly to check."""

    device: torch.device
    is_quick: bool

    def generator(self) -> torch.Generator:
        """Returns a CPU generator, the same for each step and each device."""
        return torch.Generator().manual_seed(20_261_129)


@dataclass
class Outcome:
    """What a passed step has to tell, and figures for the report."""

    detail: str
    figures: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One line of the check."""

    name: str
    run: Callable[[Context], Outcome]


@dataclass
class StepResult:
    """How a step ended."""

    name: str
    verdict: Verdict
    detail: str
    seconds: float
    figures: dict[str, Any]

    def line(self) -> str:
        """Returns the line to print."""
        return f"{self.verdict:8} {self.seconds:6.2f} s  {self.name}: {self.detail}"


def run_step(step: Step, context: Context) -> StepResult:
    """Runs a step; any exception makes it a failed one."""
    start = time.perf_counter()
    verdict: Verdict = "passed"
    figures: dict[str, Any] = {}
    try:
        outcome = step.run(context)
        detail, figures = outcome.detail, outcome.figures
    except StepLeftOutError as reason:
        verdict, detail = "left out", str(reason)
    except CheckFailedError as failure:
        verdict, detail = "failed", str(failure)
    except Exception as error:
        verdict, detail = "failed", f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    return StepResult(step.name, verdict, detail, seconds, figures)


@dataclass
class Report:
    """Everything that a check found out."""

    facts: dict[str, str]
    results: list[StepResult] = field(default_factory=list)

    def failed(self) -> list[str]:
        """Returns the names of the steps that failed."""
        return [result.name for result in self.results if result.verdict == "failed"]

    def verdict(self) -> str:
        """Returns the last line."""
        failed = self.failed()
        if failed:
            return (
                f"verdict: {len(failed)} of {len(self.results)} steps failed: "
                f"{', '.join(failed)}. Please report it with the output of --json; "
                f"docs/reporting.md of the repository says how."
            )
        passed = sum(result.verdict == "passed" for result in self.results)
        left_out = len(self.results) - passed
        return f"verdict: {passed} steps passed, {left_out} left out"

    def write_json(self, path: Path) -> None:
        """Writes the report as a file."""
        content = {
            "facts": self.facts,
            "steps": [asdict(result) for result in self.results],
            "failed": self.failed(),
            "verdict": self.verdict(),
        }
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
