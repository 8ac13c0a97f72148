# SPDX-License-Identifier: MIT
"""Says how much of MPS a machine has, for jobs on hosted Macs.

Such a Mac may be a virtual machine that offers a Metal device on which nothing
runs. Each tier is tried by doing it, in a process of its own, since a driver may
end the process. The verdict goes to standard output and, on GitHub, to the job's
summary and outputs. It judges the machine, never the package.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

TIMEOUT_SECONDS = 300


@dataclass(frozen=True)
class Tier:
    """One step up: what it means to have it and how it is tried."""

    name: str
    meaning: str
    trial: str


DEVICE_TRIAL = """
import torch
assert torch.backends.mps.is_available(), "torch reports no MPS device"
"""
TENSOR_TRIAL = """
import torch
total = torch.ones(1 << 20, device="mps").mul(2).sum().item()
assert total == 2 << 20, f"a sum gave {total}"
"""
KERNEL_TRIAL = """
import torch
library = torch.mps.compile_shader('''
#include <metal_stdlib>
using namespace metal;
kernel void twice(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[i] = 2 * x[i];
}
''')
x = torch.arange(64, dtype=torch.float32, device="mps")
library.twice(x, threads=64)
assert x.cpu().tolist() == [2.0 * i for i in range(64)], "a kernel wrote wrong numbers"
"""
TIERS = (
    Tier("device", "torch reports an MPS device", DEVICE_TRIAL),
    Tier("tensors", "torch's own operations run on it", TENSOR_TRIAL),
    Tier("kernels", "Metal text compiled at run time runs on it", KERNEL_TRIAL),
)


@dataclass(frozen=True)
class Verdict:
    """The highest tier reached and why the next one was not."""

    tier: str
    reason: str

    @property
    def runs_kernels(self) -> bool:
        """Says whether the package can be tried on this machine."""
        return self.tier == TIERS[-1].name

    def sentence(self) -> str:
        """Returns the verdict in one sentence."""
        if self.runs_kernels:
            return "MPS tier: kernels. Everything can be tried on this machine."
        return f"MPS tier: {self.tier}. What needs the GPU was left out: {self.reason}"


def run_trial(tier: Tier) -> str | None:
    """Returns why a tier is not reached; None if it is."""
    command = [sys.executable, "-c", tier.trial]
    try:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{tier.meaning}: no answer in {TIMEOUT_SECONDS} s"
    if result.returncode == 0:
        return None
    lines = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
    return f"{tier.meaning}: {lines[-1]}"


def find_tier(tiers: tuple[Tier, ...] = TIERS) -> Verdict:
    """Tries the tiers from the lowest on."""
    reached = "none"
    for tier in tiers:
        reason = run_trial(tier)
        if reason is not None:
            return Verdict(reached, reason)
        reached = tier.name
    return Verdict(reached, "")


def tell_github(verdict: Verdict, environment: dict[str, str]) -> None:
    """Appends to the files that GitHub reads, where it names them."""
    lines = {
        "GITHUB_OUTPUT": f"runs_kernels={str(verdict.runs_kernels).lower()}",
        "GITHUB_STEP_SUMMARY": verdict.sentence(),
    }
    for variable, line in lines.items():
        if path := environment.get(variable):
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
    if "GITHUB_ACTIONS" in environment and not verdict.runs_kernels:
        print(f"::warning title=MPS::{verdict.sentence()}")


def main() -> None:
    """Prints the verdict; never fails, since the machine is what it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the verdict to this file")
    json_file = parser.parse_args().json
    verdict = find_tier()
    print(verdict.sentence())
    if json_file is not None:
        json_file.write_text(json.dumps(asdict(verdict), indent=2) + "\n")
    tell_github(verdict, dict(os.environ))


if __name__ == "__main__":
    main()
