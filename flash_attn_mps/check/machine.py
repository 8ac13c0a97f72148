# SPDX-License-Identifier: MIT
"""What a report says of the machine: names and versions, nothing personal."""

from __future__ import annotations

import platform

import torch

from flash_attn_mps import explain

# Apple's GPU family of each chip generation that torch's MPS device runs on.
GPU_FAMILIES = {"M1": "Apple7", "M2": "Apple8", "M3": "Apple9", "M4": "Apple9"}
GPU_FAMILIES["M5"] = "Apple10"


def gpu_family(chip: str) -> str:
    """Returns the GPU family of a chip by its name, as "Apple M3 Pro".

    Example:
        >>> from flash_attn_mps.check.machine import gpu_family
        >>> gpu_family("Apple M3 Pro")
        'Apple9'
    """
    for generation, family in GPU_FAMILIES.items():
        if generation in chip.split():
            return family
    return "unknown"


def machine_facts() -> dict[str, str]:
    """Returns what the first lines of a check say."""
    information = {name: str(value) for name, value in explain.information().items()}
    del information["pipelines"]
    chip = explain.device_name()
    return information | {
        "gpu_family": gpu_family(chip),
        "macos": platform.mac_ver()[0] or "none",
        "parameter_route": torch.ops.flash_attn_mps.parameter_route(),
    }
