# SPDX-License-Identifier: MIT
"""Says in words on what the kernels run."""

from __future__ import annotations

import os

from flash_attn_mps.explain import backend, device_name


def workers() -> int:
    """Threads of the simulator: as the environment says, else all processors."""
    setting = os.environ.get("FLASH_ATTN_MPS_SIMULATOR_THREADS")
    return int(setting) if setting else len(os.sched_getaffinity(0))


def description() -> str:
    """Returns "Apple M3 Pro, MPS" or "simulated Apple M1 Max on 2 CPU cores"."""
    if backend() == "mps":
        return f"{device_name()}, MPS"
    return f"simulated {device_name()} on {workers()} CPU cores"
