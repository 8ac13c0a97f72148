# SPDX-License-Identifier: MIT
"""python -m benchmarks [NAME...]: measures, prints and writes results/*.json.

Every module measure_<name>.py holds TITLE and measure(); without names all run.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from benchmarks.figure import Figure, write_result


def measurement_names() -> list[str]:
    """Names of all measurements, from the files of this folder."""
    files = sorted(Path(__file__).parent.glob("measure_*.py"))
    return [file.stem.removeprefix("measure_") for file in files]


def line(figure: Figure) -> str:
    """One figure as a line of text."""
    text = f"  {figure.name}: {figure.value:.4g} {figure.unit}".rstrip()
    if figure.bar is None:
        return text
    relation = ">=" if figure.bar_is_minimum else "<="
    verdict = "met" if figure.is_met else "NOT MET"
    return f"{text} (bar {relation} {figure.bar:.4g}: {verdict})"


def main() -> int:
    """Measures; returns 1 if a bar is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(measurement_names()))
    names = parser.parse_args().names or measurement_names()
    met = True
    for name in names:
        module = importlib.import_module(f"benchmarks.measure_{name}")
        print(f"{module.TITLE}", flush=True)
        figures: list[Figure] = module.measure()
        write_result(name, module.TITLE, figures)
        for figure in figures:
            print(line(figure), flush=True)
        met = met and all(figure.is_met for figure in figures)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
