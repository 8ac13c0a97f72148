# SPDX-License-Identifier: MIT
"""The workflows are checked by a linter that knows GitHub's syntax and images."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINTER = Path(sys.executable).parent / "actionlint"


def lint(path: Path) -> subprocess.CompletedProcess[str]:
    """Runs the linter on one workflow."""
    command = [str(LINTER), "-no-color", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_passes_the_linter(path: Path) -> None:
    result = lint(path)
    assert result.returncode == 0, result.stdout


def test_linter_finds_a_wrong_workflow(tmp_path: Path) -> None:
    text = (ROOT / ".github" / "workflows" / "macos.yml").read_text()
    broken = tmp_path / "broken.yml"
    broken.write_text(text.replace("steps.tier.outputs", "steps.teir.outputs"))
    result = lint(broken)
    assert result.returncode == 1
    assert '"teir"' in result.stdout


def test_both_workflows_are_there() -> None:
    assert [path.name for path in WORKFLOWS] == ["linux.yml", "macos.yml"]
