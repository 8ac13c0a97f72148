# SPDX-License-Identifier: MIT
"""Prints the seconds that importing the package takes after torch."""

from __future__ import annotations

import importlib
import json
import time

import torch


def main() -> None:
    """Torch is imported above, which costs a second by itself."""
    start = time.perf_counter()
    importlib.import_module("flash_attn_mps")
    seconds = time.perf_counter() - start
    if not hasattr(torch.ops.flash_attn_mps, "forward"):
        raise RuntimeError("the import did not register the operators")
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
