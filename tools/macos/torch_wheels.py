# SPDX-License-Identifier: MIT
"""Fetches macOS wheels of torch with pip and unpacks the parts that are wanted.

Knows which releases the package supports; does not read Mach-O files.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

# The newest patch of every minor release from the floor on.
RELEASES = ("2.10.0", "2.11.0", "2.12.0", "2.13.0", "2.14.1", "2.15.0")
FLOOR = RELEASES[0]

# Wheels of 2.10 and 2.11 carry the older platform tag.
PLATFORM_TAGS = {"2.10.0": "macosx_11_0_arm64", "2.11.0": "macosx_11_0_arm64"}
NEWER_PLATFORM_TAG = "macosx_14_0_arm64"

# The two libraries of torch that the package links.
TORCH_LIBRARIES = ("torch/lib/libc10.dylib", "torch/lib/libtorch_cpu.dylib")


def find_wheel(release: str, folder: Path) -> Path | None:
    """Returns the wheel of `release` that lies in `folder`, if any."""
    found = sorted(folder.glob(f"torch-{release}-*.whl"))
    return found[0] if found else None


def download_wheel(release: str, folder: Path) -> Path:
    """Returns the path of the macOS wheel of `release`, fetched at most once."""
    cached = find_wheel(release, folder)
    if cached is not None:
        return cached
    folder.mkdir(parents=True, exist_ok=True)
    platform = PLATFORM_TAGS.get(release, NEWER_PLATFORM_TAG)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--python-version", "3.11"]
    command += ["--implementation", "cp", "--platform", platform]
    command += ["--dest", str(folder), f"torch=={release}"]
    # A constraint file of the machine may cap torch below the release.
    environment = {**os.environ, "PIP_CONSTRAINT": os.devnull}
    subprocess.run(command, check=True, env=environment)
    wheel = find_wheel(release, folder)
    if wheel is None:
        raise FileNotFoundError(f"pip left no torch {release} wheel in {folder}")
    return wheel


def extract_members(
    wheel: Path, destination: Path, is_wanted: Callable[[str], bool]
) -> Path:
    """Unpacks the wanted members below `destination/torch`, once."""
    complete = destination / "complete"
    if not complete.exists():
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if is_wanted(name)]
            archive.extractall(destination, names)
        complete.touch()
    return destination / "torch"


def read_members(wheel: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    """Returns the content of the named members of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in names}
