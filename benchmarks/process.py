# SPDX-License-Identifier: MIT
"""Runs a piece of a measurement in a process of its own and reads its answer.

Environment variables that are read once per process (threads, checks, cache
folder) can be varied only this way.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def answer_of(module: str, *arguments: str, **environment: str) -> Any:
    """Runs python -m MODULE ARGUMENTS and returns the JSON on its last line."""
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(result.stdout.strip().splitlines()[-1])


def output_of(*arguments: str, **environment: str) -> str:
    """What python ARGUMENTS prints, whether or not it succeeds."""
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    return result.stdout


def counted(word: str, text: str) -> int:
    """The number in front of a word in the last line that has one; 0 without."""
    found = re.findall(rf"(\d+) {re.escape(word)}", text)
    return int(found[-1]) if found else 0
