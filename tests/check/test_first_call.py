# SPDX-License-Identifier: MIT
"""The probe of the first call: when it runs, and what is remembered of it."""

from __future__ import annotations

from pathlib import Path

from tests.processes import run_python

CALL = """
import torch
from flash_attn_mps.attention import scaled_dot_product_attention
scaled_dot_product_attention(*torch.randn(3, 1, 1, 8, 8))
"""


def records(cache: Path) -> list[Path]:
    """Returns the files that remember a passed probe."""
    return sorted(cache.glob("probe-*.txt"))


def run(directory: Path, program: str, **changes: str) -> None:
    """Runs a program with its own cache folder."""
    cache = str(directory / "cache")
    result = run_python(
        ["-c", program], directory, FLASH_ATTN_MPS_CACHE_DIR=cache, **changes
    )
    assert result.returncode == 0, result.stderr


def test_first_call_probes_and_remembers_the_machine(tmp_path: Path) -> None:
    run(tmp_path, CALL, FLASH_ATTN_MPS_PROBE="1")
    (record,) = records(tmp_path / "cache")
    lines = record.read_text().splitlines()
    assert lines[0] == "machine: simulated"
    assert lines[1].startswith("torch: ")
    # The record stands for the probe: a GPU that is wrong now is not probed.
    run(
        tmp_path,
        CALL,
        FLASH_ATTN_MPS_PROBE="1",
        FLASH_ATTN_MPS_SIMULATOR_FAULT="lane_map",
        FLASH_ATTN_MPS_FALLBACK="0",
    )


def test_record_of_another_machine_does_not_count(tmp_path: Path) -> None:
    run(tmp_path, CALL, FLASH_ATTN_MPS_PROBE="1")
    (record,) = records(tmp_path / "cache")
    record.write_text("machine: another\n")
    run(tmp_path, CALL, FLASH_ATTN_MPS_PROBE="1")
    assert record.read_text().startswith("machine: simulated\n")


def test_import_probes_and_writes_nothing(tmp_path: Path) -> None:
    program = "import torch, flash_attn_mps.attention"
    run(tmp_path, program, FLASH_ATTN_MPS_PROBE="1")
    assert not (tmp_path / "cache").exists()


def test_simulator_is_not_probed_unless_asked(tmp_path: Path) -> None:
    run(tmp_path, CALL)
    assert records(tmp_path / "cache") == []
