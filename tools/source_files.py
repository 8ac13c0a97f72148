# SPDX-License-Identifier: MIT
"""Names the files of this repository as git sees them, by kind.

New files count before they are committed; what .gitignore names does not.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPP_SUFFIXES = (".cpp", ".h")
METAL_SUFFIXES = (".metal",)


def repository_files(root: Path = ROOT) -> list[Path]:
    """Every file that is or could be committed, relative to the root, sorted."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        stdout=subprocess.PIPE,
        check=True,
    )
    names = listing.stdout.decode().split("\0")
    return sorted(Path(name) for name in names if name and (root / name).is_file())


def with_suffix(files: list[Path], suffixes: tuple[str, ...]) -> list[Path]:
    """The files whose name ends in one of the suffixes."""
    return [file for file in files if file.suffix in suffixes]
