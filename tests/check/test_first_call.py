# SPDX-License-Identifier: MIT
"""The probe of the first call: when it runs, and what is remembered of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import run_python

pytestmark = pytest.mark.usefixtures("simulator_only")

IMPORT = """
import os, pathlib, torch
from flash_attn_mps.attention import scaled_dot_product_attention
cache = pathlib.Path(os.environ["FLASH_ATTN_MPS_CACHE_DIR"])
def call():
    scaled_dot_product_attention(*torch.randn(3, 1, 1, 8, 8))
"""
PROBE_IN_ITS_TIME = """
assert not cache.exists(), "the import wrote something"
call()
assert not list(cache.glob("probe-*")), "the simulator was probed unasked"
os.environ["FLASH_ATTN_MPS_PROBE"] = "1"
call()
"""


def run(directory: Path, program: str, **changes: str) -> None:
    """Runs a program with its own cache folder."""
    result = run_python(
        ["-c", IMPORT + program],
        directory,
        FLASH_ATTN_MPS_CACHE_DIR=str(directory / "cache"),
        FLASH_ATTN_MPS_SIMULATOR_CHECKS="none",
        **changes,
    )
    assert result.returncode == 0, result.stderr


def test_passed_probe_is_remembered_for_this_machine_only(tmp_path: Path) -> None:
    run(tmp_path, PROBE_IN_ITS_TIME)
    (record,) = (tmp_path / "cache").glob("probe-*.txt")
    lines = record.read_text().splitlines()
    assert lines[0] == "machine: simulated"
    assert lines[1].startswith("torch: ")

    # The record stands for the probe: a GPU that has become wrong is not seen.
    changes = {"FLASH_ATTN_MPS_PROBE": "1", "FLASH_ATTN_MPS_FALLBACK": "0"}
    run(tmp_path, "call()", FLASH_ATTN_MPS_SIMULATOR_FAULT="lane_map", **changes)

    record.write_text("machine: another\n")
    run(tmp_path, "call()", **changes)
    assert record.read_text().startswith("machine: simulated\n")
