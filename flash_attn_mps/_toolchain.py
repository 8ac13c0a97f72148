# SPDX-License-Identifier: MIT
"""Where the package's libraries and the simulator's compiler are; needs no torch.

Finding starts no process and writes nothing.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).resolve().parent
IS_MACOS = sys.platform == "darwin"


def library_path(name: str) -> Path:
    """Path of a library beside this file; raises ImportError if it is missing."""
    path = PACKAGE_FOLDER / f"{name}{'.dylib' if IS_MACOS else '.so'}"
    if not path.exists():
        raise ImportError(
            f"flash_attn_mps: the compiled library {path.name} must lie in "
            f"{PACKAGE_FOLDER}; got none. Reinstall the package, or in a source "
            f"tree run: python setup.py build_ext --inplace"
        )
    return path


def zig_program() -> str:
    """Path of ziglang's program, whose clang compiles Metal text for the simulator.

    Empty if ziglang is not installed; the simulator says so when it first has to
    compile.
    """
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        return ""
    program = Path(spec.origin).parent / "zig"
    return str(program) if program.exists() else ""


def configure_simulator() -> None:
    """Tells the simulator's runtime where its compiler and Python are."""
    runtime = ctypes.CDLL(str(library_path("libflash_attn_mps_simulator")))
    configure = runtime.flash_attn_mps_simulator_configure
    configure.restype = None
    zig = zig_program()
    clang, linker = (f"{zig} clang", f"{zig} ld.lld") if zig else ("", "")
    configure(clang.encode(), linker.encode(), (sys.executable or "python3").encode())
