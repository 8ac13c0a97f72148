# SPDX-License-Identifier: MIT
"""Times our attention beside torch's own on one device, forward and training.

`python -m benchmarks.attention_on_device --device mps --json FILE` is what a Mac
runs. On the simulated device its times say nothing about a GPU. Sizes grow, and
a size that does not fit into memory with one of the two is left out for it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import flash_attn_mps
from flash_attn_mps.check.machine import machine_facts

REPEATS = 5
HEADS = 8
Attention = Callable[..., Tensor]
ATTENTIONS: dict[str, Attention] = {
    "flash_attn_mps": flash_attn_mps.scaled_dot_product_attention,
    "torch": torch.nn.functional.scaled_dot_product_attention,
}


def synchronize(device: torch.device) -> None:
    """Waits until the device has done what it was given."""
    if device.type == "mps":
        torch.mps.synchronize()


def forward(attention: Attention, inputs: list[Tensor]) -> None:
    """Computes the output only."""
    with torch.no_grad():
        attention(*inputs, is_causal=True)


def training(attention: Attention, inputs: list[Tensor]) -> None:
    """Computes the output and all gradients."""
    leaves = [tensor.detach().requires_grad_() for tensor in inputs]
    torch.autograd.grad(attention(*leaves, is_causal=True).sum(), leaves)


def median_milliseconds(run: Callable[[], None], device: torch.device) -> float | None:
    """Returns the median of some runs; None if memory does not suffice."""
    times = []
    try:
        for _ in range(REPEATS + 1):
            synchronize(device)
            start = time.perf_counter()
            run()
            synchronize(device)
            times.append((time.perf_counter() - start) * 1e3)
    except RuntimeError as error:
        if "memory" not in str(error) and "buffer size" not in str(error):
            raise
        return None
    return statistics.median(times[1:])


def measure(
    device: torch.device, lengths: list[int], head_dims: list[int]
) -> list[dict[str, Any]]:
    """Returns one row for each length, head dimension, pass and attention."""
    rows = []
    for head_dim in head_dims:
        for length in lengths:
            shape = (1, HEADS, length, head_dim)
            inputs = [torch.randn(shape).half().to(device) for _ in range(3)]
            for run_pass in (forward, training):
                row: dict[str, Any] = {"length": length, "head_dim": head_dim}
                row["pass"] = run_pass.__name__
                for name, attention in ATTENTIONS.items():
                    row[f"{name}_ms"] = median_milliseconds(
                        partial(run_pass, attention, inputs), device
                    )
                rows.append(row)
                print(row, flush=True)
    return rows


def main() -> None:
    """Measures and writes the rows with what is known of the machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="mps", choices=("cpu", "mps"))
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 2048, 8192])
    parser.add_argument("--head-dims", type=int, nargs="+", default=[64, 128])
    options = parser.parse_args()
    rows = measure(torch.device(options.device), options.lengths, options.head_dims)
    content = {"machine": machine_facts(), "dtype": "float16", "rows": rows}
    options.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
