# SPDX-License-Identifier: MIT
"""Loads the compiled libraries; the only place that can fail to find them.

Loading starts no compiler and writes nothing.
"""

from __future__ import annotations

import torch

from flash_attn_mps._toolchain import IS_MACOS, configure_simulator, library_path


def load() -> None:
    """Registers the operators with torch, and on Linux sets up the simulator."""
    if not IS_MACOS:
        configure_simulator()
    path = str(library_path("_operators"))
    torch.ops.load_library(path)  # type: ignore[no-untyped-call]


load()
