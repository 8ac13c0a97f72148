# SPDX-License-Identifier: MIT
"""The macOS wheel: its size, its releases of torch, the time of a warm build."""

from __future__ import annotations

import re
import time
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.process import ROOT, output_of
from tools.macos import torch_wheels

TITLE = "The macOS wheel, cross-built and audited on Linux"


def built_wheel() -> Path:
    """Builds the wheel with the cached torch and returns its path."""
    output_of("-m", "tools.macos.build_wheel", "--cache", "build/macos")
    (wheel,) = (ROOT / "dist").glob("*-macosx_14_0_arm64.whl")
    return wheel


def measure() -> list[Figure]:
    """The first build may download torch for macOS and is not timed."""
    built_wheel()
    start = time.perf_counter()
    wheel = built_wheel()
    audit = output_of("-m", "tools.macos.audit_wheel", str(wheel))
    seconds = time.perf_counter() - start
    undefined = re.findall(r"undefined symbols: (\d+)", audit)
    releases = re.findall(r"satisfy the library: (.*)", audit)
    if not (undefined and releases):
        raise RuntimeError(f"the audit did not finish:\n{audit}")
    satisfied = len(releases[0].split(","))
    known = len(torch_wheels.RELEASES)
    return [
        Figure("size", wheel.stat().st_size / 1e6, "MB", 1.0),
        Figure("undefined symbols", int(undefined[0]), ""),
        Figure("torch releases that satisfy it", satisfied, "", known, True),
        Figure("build and audit, warm", seconds, "s", 30),
    ]
