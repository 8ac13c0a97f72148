# SPDX-License-Identifier: MIT
"""Prints GMAC/s of simulated attention by wall clock and by processor time.

python -m benchmarks.attention_speed PASS, which is forward or backward. Threads
and checks come from the environment.
"""

from __future__ import annotations

import json
import sys
import time

import torch

import flash_attn_mps
from benchmarks.figure import median_seconds

HEADS, LENGTH, HEAD_DIM = 4, 512, 64
# Matrix products of each pass: S and O; S, dP and dQ, and S, dP, dV and dK.
PRODUCTS = {"forward": 2, "backward": 7}


def main() -> None:
    """Measures in this process."""
    (which,) = sys.argv[1:]
    torch.set_num_threads(1)
    torch.manual_seed(0)
    shape = (1, HEADS, LENGTH, HEAD_DIM)
    differentiable = which == "backward"
    query, key, value = (
        torch.randn(shape, requires_grad=differentiable) for _ in range(3)
    )
    output = flash_attn_mps.scaled_dot_product_attention(query, key, value)
    grad_output = torch.randn(shape)

    def run() -> object:
        if which == "forward":
            return flash_attn_mps.scaled_dot_product_attention(query, key, value)
        inputs = (query, key, value)
        return torch.autograd.grad(output, inputs, grad_output, retain_graph=True)

    gmac = PRODUCTS[which] * HEADS * LENGTH**2 * HEAD_DIM / 1e9
    clocks = {"wall": time.perf_counter, "processor": time.process_time}
    speeds = {name: gmac / median_seconds(run, clock) for name, clock in clocks.items()}
    print(json.dumps(speeds))


if __name__ == "__main__":
    main()
