# SPDX-License-Identifier: MIT
"""Importing the package: quick, silent, and without a trace on the disk."""

from __future__ import annotations

from pathlib import Path

import flash_attn_mps
from tests.processes import run_python

TIMED_IMPORT = """
import time, torch
before = time.perf_counter()
import flash_attn_mps
print(time.perf_counter() - before)
"""


def _files_below(directory: Path) -> list[Path]:
    return sorted(directory.rglob("*"))


def test_import_writes_no_file_and_no_text(tmp_path: Path) -> None:
    """Home, working and cache directory stay empty; nothing is printed."""
    home, cache, work = (tmp_path / name for name in ("home", "cache", "work"))
    home.mkdir()
    work.mkdir()
    done = run_python(
        ["-B", "-c", "import flash_attn_mps"],
        work,
        HOME=str(home),
        TMPDIR=str(work),
        XDG_CACHE_HOME=str(home),
        FLASH_ATTN_MPS_CACHE_DIR=str(cache),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert _files_below(tmp_path) == [home, work]


def test_import_after_torch_is_quick(tmp_path: Path) -> None:
    """Under a second beyond torch's own import: nothing is compiled or probed."""
    done = run_python(["-c", TIMED_IMPORT], tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.0


def test_public_names_are_documented_and_complete() -> None:
    """What `from flash_attn_mps import *` gives, each with a docstring."""
    for name in ("scaled_dot_product_attention", "pipeline_cache_info"):
        assert name in flash_attn_mps.__all__
    for name in flash_attn_mps.__all__:
        if not name.startswith("__"):
            assert getattr(flash_attn_mps, name).__doc__


def test_pipeline_cache_info_is_a_triple_of_counts() -> None:
    """Hits, misses, size, by name and by position."""
    info = flash_attn_mps.pipeline_cache_info()
    hits, misses, size = info
    assert (hits, misses, size) == (info.hits, info.misses, info.size)
    assert all(isinstance(count, int) and count >= 0 for count in info)
