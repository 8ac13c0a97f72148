# SPDX-License-Identifier: MIT
"""Writes every Metal text that the package can generate as a file.

For compilers that are not reached through torch, as `xcrun metal -c` on a Mac:
`python -m tools.write_metal_sources DIR`. The texts are the library's own.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import torch

from flash_attn_mps.check.kernels import inventory


def file_name(name: str) -> str:
    """Returns a file name for a text of the inventory."""
    return re.sub(r"[^A-Za-z0-9]+", "_", name) + ".metal"


def write_sources(folder: Path) -> list[Path]:
    """Writes the texts into `folder` and returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for family in inventory():
        path = folder / file_name(family.name)
        source = torch.ops.flash_attn_mps.inventory_source(family.line)
        path.write_text(source, encoding="ascii")
        files.append(path)
    return files


def main() -> None:
    """Writes the texts and says how many there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    print(f"{len(write_sources(folder))} texts in {folder}")


if __name__ == "__main__":
    main()
