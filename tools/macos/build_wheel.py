# SPDX-License-Identifier: MIT
"""Cross-compiles the macOS wheel of the package on Linux.

Sets up a compiler (zig), a torch to link (its oldest supported macOS wheel) and
a stub of the system's libc++, then runs the macOS branch of setup.py: what is
compiled, and with which of the common flags, is said there and not here.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tools.macos import torch_wheels
from tools.macos.write_symbol_lists import LIBCXX_STUB

ROOT = Path(__file__).resolve().parents[2]
PLATFORM = "macosx-14.0-arm64"
WHEEL_TAG = "py3-none-macosx_14_0_arm64"
TARGET = "aarch64-macos.14.0"
# The hook that pip calls on a Mac; without a front end nothing is isolated.
BUILD_WHEEL = "import sys, setuptools.build_meta as m; m.build_wheel(sys.argv[1])"

# zig's libc++ headers assume the libc++ that zig would link statically. These
# make them keep to what the system's libc++ of the target macOS exports.
COMPILE_FLAGS = (
    "-fno-sized-deallocation",
    "-U_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS",
    "-D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=1",
)


def link_flags() -> tuple[str, ...]:
    """Links the system's libc++ by its stub instead of zig's own."""
    return ("-nostdlib++", str(LIBCXX_STUB))


def is_needed_of_torch(name: str) -> bool:
    """Says whether the build reads this member of torch's wheel."""
    if name.startswith(("torch/include/torch/", "torch/include/c10/")):
        return True
    return name in torch_wheels.TORCH_LIBRARIES or name == "torch/__init__.py"


def unpack_torch(cache: Path) -> Path:
    """Returns a folder whose `torch` is that of the oldest supported release."""
    wheel = torch_wheels.download_wheel(torch_wheels.FLOOR, cache / "wheels")
    folder = cache / f"torch-{torch_wheels.FLOOR}"
    torch_wheels.extract_members(wheel, folder, is_needed_of_torch)
    return folder


def compiler_command() -> str:
    """Returns the cross-compiler's command line."""
    package = importlib.util.find_spec("ziglang")
    if package is None or package.origin is None:
        raise SystemExit("The cross-build needs zig; install it: pip install ziglang")
    zig = Path(package.origin).parent / "zig"
    return shlex.join([str(zig), "c++", "-target", TARGET])


def build_environment(torch_site: Path) -> dict[str, str]:
    """Returns the environment in which setup.py takes its macOS branch."""
    return {
        **os.environ,
        "_PYTHON_HOST_PLATFORM": PLATFORM,
        "CXX": compiler_command(),
        "CXXFLAGS": shlex.join(COMPILE_FLAGS),
        "LDFLAGS": shlex.join(link_flags()),
        # setup.py looks torch up by import: this one comes first.
        "PYTHONPATH": str(torch_site),
    }


def remove_stale(destination: Path) -> None:
    """Removes earlier wheels, and Python files that setuptools would keep."""
    for wheel in destination.glob(f"flash_attn_mps-*-{WHEEL_TAG}.whl"):
        wheel.unlink()
    for folder in (ROOT / "build").glob(f"lib.{PLATFORM}*"):
        shutil.rmtree(folder)


def build_wheel(cache: Path, destination: Path) -> Path:
    """Builds the wheel into `destination` and returns its path."""
    environment = build_environment(unpack_torch(cache))
    destination.mkdir(parents=True, exist_ok=True)
    remove_stale(destination)
    command = [sys.executable, "-c", BUILD_WHEEL, str(destination)]
    subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL
    )
    (wheel,) = destination.glob(f"flash_attn_mps-*-{WHEEL_TAG}.whl")
    return wheel


def main() -> None:
    """Builds the wheel and prints its path and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "macos")
    parser.add_argument("--destination", type=Path, default=ROOT / "dist")
    arguments = parser.parse_args()
    wheel = build_wheel(arguments.cache.resolve(), arguments.destination.resolve())
    print(f"{wheel.relative_to(Path.cwd())}: {wheel.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
