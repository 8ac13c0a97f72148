# SPDX-License-Identifier: MIT
"""Runs clang-format over all C++ and Metal text of the repository."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from tools.source_files import (
    CPP_SUFFIXES,
    METAL_SUFFIXES,
    ROOT,
    repository_files,
    with_suffix,
)


def clang_format() -> str:
    """The program that lies beside the running interpreter."""
    return str(Path(sys.executable).parent / "clang-format")


def main() -> int:
    """Checks, or with --fix rewrites; returns clang-format's exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    arguments = parser.parse_args()
    files = with_suffix(repository_files(), CPP_SUFFIXES + METAL_SUFFIXES)
    mode = ["-i"] if arguments.fix else ["--dry-run", "-Werror"]
    names = [str(file) for file in files]
    return subprocess.run([clang_format(), *mode, *names], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
