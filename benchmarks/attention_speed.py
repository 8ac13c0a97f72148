# SPDX-License-Identifier: MIT
"""Prints GMAC/s of simulated attention: python -m benchmarks.attention_speed PASS.

PASS is forward or backward. Threads and checks come from the environment.
"""

from __future__ import annotations

import json
import sys

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
    inputs = [torch.randn(shape, requires_grad=which == "backward") for _ in range(3)]
    output = flash_attn_mps.scaled_dot_product_attention(*inputs)
    grad_output = torch.randn(shape)

    def run() -> object:
        if which == "forward":
            return flash_attn_mps.scaled_dot_product_attention(*inputs)
        return torch.autograd.grad(output, inputs, grad_output, retain_graph=True)

    gmac = PRODUCTS[which] * HEADS * LENGTH**2 * HEAD_DIM / 1e9
    print(json.dumps(gmac / median_seconds(run)))


if __name__ == "__main__":
    main()
