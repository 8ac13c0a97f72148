# SPDX-License-Identifier: MIT
"""Compiled kernels on disk, shared by processes that start at the same time.

Only the simulated device has this cache; on a Mac the system keeps its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import run_python, start_python

FORWARD = """
import torch, flash_attn_mps
torch.manual_seed(3)
tensors = [torch.randn(1, 2, 9, 15) for _ in range(3)]
output = flash_attn_mps.scaled_dot_product_attention(*tensors, is_causal=True)
print(hash(output.numpy().tobytes()))
"""
FORWARD_AND_BACKWARD = """
import torch, flash_attn_mps
torch.manual_seed(3)
tensors = [torch.randn(1, 2, 9, 15, requires_grad=True) for _ in range(3)]
output = flash_attn_mps.scaled_dot_product_attention(*tensors, is_causal=True)
output.sum().backward()
digest = [output, *(tensor.grad for tensor in tensors)]
print([hash(t.detach().numpy().tobytes()) for t in digest])
"""
SETTINGS = {"PYTHONHASHSEED": "0", "FLASH_ATTN_MPS_SIMULATOR_CHECKS": "none"}


@pytest.fixture
def cache(tmp_path: Path, simulated: bool) -> Path:
    """An empty cache folder of the simulated device."""
    if not simulated:
        pytest.skip("the system caches compiled kernels on a Mac")
    return tmp_path / "cache"


def _kernels(cache: Path) -> dict[str, int]:
    return {
        str(path.relative_to(cache)): path.stat().st_mtime_ns
        for path in cache.rglob("*")
        if path.is_file()
    }


def test_processes_that_share_an_empty_cache_agree(cache: Path, tmp_path: Path) -> None:
    """Three processes compile the same kernels at once; no file is left half done."""
    running = [
        start_python(
            ["-c", FORWARD],
            tmp_path,
            FLASH_ATTN_MPS_CACHE_DIR=str(cache),
            **SETTINGS,
        )
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], outputs
    assert len({output for output, _ in outputs}) == 1
    suffixes = {Path(name).suffix for name in _kernels(cache)}
    assert ".so" in suffixes
    assert not {suffix for suffix in suffixes if "tmp" in suffix or suffix == ".o"}


def test_second_process_compiles_nothing(cache: Path, tmp_path: Path) -> None:
    """A warm cache keeps its files as they are, and the results their bits."""
    runs = []
    for _ in range(2):
        done = run_python(
            ["-c", FORWARD],
            tmp_path,
            FLASH_ATTN_MPS_CACHE_DIR=str(cache),
            **SETTINGS,
        )
        assert done.returncode == 0, done.stderr
        runs.append((done.stdout, _kernels(cache)))
    assert runs[0] == runs[1]


def test_damaged_kernel_file_is_replaced_or_named(cache: Path, tmp_path: Path) -> None:
    """A truncated library is compiled again, or the error names the file."""
    arguments = ["-c", FORWARD]
    settings = {"FLASH_ATTN_MPS_CACHE_DIR": str(cache), **SETTINGS}
    first = run_python(arguments, tmp_path, **settings)
    for path in cache.rglob("*.so"):
        path.write_bytes(path.read_bytes()[:100])
    second = run_python(arguments, tmp_path, **settings)
    if second.returncode == 0:
        assert second.stdout == first.stdout
    else:
        assert "RuntimeError" in second.stderr
        assert str(cache) in second.stderr


def test_cache_folder_that_cannot_be_written_is_one_clear_error(
    cache: Path, tmp_path: Path
) -> None:
    """A file where the folder should be: RuntimeError with the path, no crash."""
    cache.write_text("not a folder")
    done = run_python(
        ["-c", FORWARD],
        tmp_path,
        FLASH_ATTN_MPS_CACHE_DIR=str(cache),
        **SETTINGS,
    )
    assert done.returncode == 1
    assert "RuntimeError" in done.stderr
    assert str(cache) in done.stderr


def test_result_depends_on_neither_workers_nor_checks(
    cache: Path, tmp_path: Path
) -> None:
    """One or two workers, fast or checked build: the same bits."""
    digests = set()
    for checks, workers in (("none", "1"), ("none", "2"), ("all", "2")):
        done = run_python(
            ["-c", FORWARD_AND_BACKWARD],
            tmp_path,
            FLASH_ATTN_MPS_CACHE_DIR=str(cache),
            FLASH_ATTN_MPS_SIMULATOR_CHECKS=checks,
            FLASH_ATTN_MPS_SIMULATOR_THREADS=workers,
            PYTHONHASHSEED="0",
        )
        assert done.returncode == 0, done.stderr
        digests.add(done.stdout)
    assert len(digests) == 1
