# SPDX-License-Identifier: MIT
"""Runs the examples as a reader would."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def output_of(example: str) -> list[str]:
    """Lines that an example prints."""
    result = subprocess.run(
        [sys.executable, str(ROOT / "examples" / example)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_check_a_kernel_finds_nothing_in_a_right_kernel() -> None:
    assert output_of("check_a_kernel.py") == ["correct: True", "violations: 0"]
