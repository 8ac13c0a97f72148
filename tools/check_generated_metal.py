# SPDX-License-Identifier: MIT
"""Checks the dialect of every Metal text that the package can generate.

    python -m tools.check_generated_metal [--jobs N]

Prints the findings of the strict check, by file of metal/ and line, and returns 1
if there is one.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor

import torch

import flash_attn_mps  # noqa: F401  (registers the operators)
from flash_attn_mps import check_metal


def generated_texts() -> dict[str, str]:
    """Every text, by the name of its family."""
    operators = torch.ops.flash_attn_mps
    lines = operators.kernel_inventory().splitlines()
    return {
        line.split("\t")[0]: operators.inventory_source(index)
        for index, line in enumerate(lines)
    }


def findings_of(name: str, text: str) -> list[check_metal.Finding]:
    """Findings of one text; its own lines carry the family's name."""
    return check_metal.check_text(text, file_name=name, strict=True)


def main() -> int:
    """Checks all texts; returns 1 if there is a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    texts = generated_texts()
    with ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(findings_of, texts.keys(), texts.values())
        findings = sorted({str(finding) for some in found for finding in some})
    for finding in findings:
        print(finding)
    print(f"{len(texts)} generated Metal texts, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
