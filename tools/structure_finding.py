# SPDX-License-Identifier: MIT
"""What a rule of the structure check returns: a place and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """One violation of a rule."""

    file: Path
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.sentence}"
