# SPDX-License-Identifier: MIT
"""Prints the seconds of this process's first attention, torch being imported."""

from __future__ import annotations

import json
import time

import torch

import flash_attn_mps


def main() -> None:
    """One float32 forward pass with head_dim 64: one kernel."""
    query = torch.zeros(1, 1, 32, 64)
    start = time.perf_counter()
    flash_attn_mps.scaled_dot_product_attention(query, query, query)
    print(json.dumps(time.perf_counter() - start))


if __name__ == "__main__":
    main()
