# SPDX-License-Identifier: MIT
"""Runs Python in processes of its own, with its own environment.

For what is decided once per process: imports, environment variables, the caches.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def environment(**changes: str) -> dict[str, str]:
    """The environment of this process with changes, the package importable."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    inherited = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return os.environ | inherited | changes


def start_python(
    arguments: list[str], directory: Path, **changes: str
) -> subprocess.Popen[str]:
    """Start Python in a directory without waiting for it."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=directory,
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_python(
    arguments: list[str], directory: Path, **changes: str
) -> subprocess.CompletedProcess[str]:
    """Run Python to its end; the caller looks at code, output and errors."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env=environment(**changes),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
