# SPDX-License-Identifier: MIT
"""Rewrites the golden texts beside this file from the built C++ test.

Run it from the repository's root after tools/build_cpp_tests.py. A changed
golden text must be explained in the commit that changes it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "cpp_tests" / "test_specialize_golden"


def main() -> int:
    """Runs the golden test in writing mode; returns its exit code."""
    if not PROGRAM.exists():
        print(f"{PROGRAM} must be built first: python -m tools.build_cpp_tests")
        return 1
    environment = {**os.environ, "FLASH_ATTN_MPS_REGENERATE_GOLDEN": "1"}
    return subprocess.run([str(PROGRAM)], cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
