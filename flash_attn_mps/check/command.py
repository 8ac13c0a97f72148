# SPDX-License-Identifier: MIT
"""The command: runs the steps in their order, prints them, writes the report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from flash_attn_mps._toolchain import IS_MACOS
from flash_attn_mps.check.kernels import kernel_steps
from flash_attn_mps.check.machine import machine_facts
from flash_attn_mps.check.probes import probe_steps
from flash_attn_mps.check.report import Context, Report, Step, run_step
from flash_attn_mps.check.stream import stream_steps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the report as JSON"
    )
    parser.add_argument("--quick", action="store_true", help="check a part of each")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="WORDS",
        help="make only the steps whose name contains one of these",
    )


def all_steps() -> list[Step]:
    """Returns every step in its order.

    Example:
        >>> from flash_attn_mps.check.command import all_steps
        >>> all_steps()[0].name
        'lane layout float32'
    """
    return [*probe_steps(), *kernel_steps(), *stream_steps()]


def chosen_steps(words: list[str] | None) -> list[Step]:
    """Returns all steps, or those whose name contains one of the words."""
    steps = all_steps()
    if words is None:
        return steps
    return [step for step in steps if any(word in step.name for word in words)]


def run(options: argparse.Namespace) -> int:
    """Runs the check; returns 1 if a step failed, 2 if there is none to make.

    The report is written after every step, so that a process that ends early
    leaves what it had found.
    """
    device = torch.device("mps" if IS_MACOS else "cpu")
    context = Context(device, options.quick)
    steps = chosen_steps(options.only)
    if not steps:
        print(f"no step's name contains any of: {', '.join(options.only)}")
        return 2
    report = Report(machine_facts())
    for name, value in report.facts.items():
        print(f"{name}: {value}")
    for step in steps:
        if sys.stdout.isatty():
            print(f"running            {step.name} ...", end="\r", flush=True)
        report.results.append(run_step(step, context))
        print(report.results[-1].line(), flush=True)
        if options.json is not None:
            report.write_json(options.json)
    print(report.verdict())
    return 1 if report.failed() else 0
