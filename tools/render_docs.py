# SPDX-License-Identifier: MIT
"""Writes the generated parts of the documents, or with --check compares them.

A generated part stands between <!-- begin NAME --> and <!-- end NAME -->. Its
text comes from benchmarks/results or from the package; nothing is measured here.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.figure import RESULTS, Figure, read_result
from tools.source_files import ROOT, repository_files
from tools.support_table import support_table

REGION = re.compile(
    r"(?P<begin><!-- begin (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end (?P=name) -->)",
    re.DOTALL,
)


def number(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def figure_row(figure: Figure) -> str:
    """One line of the table."""
    bar, verdict = "-", "-"
    if figure.bar is not None:
        relation = "at least" if figure.bar_is_minimum else "at most"
        bar = f"{relation} {number(figure.bar)} {figure.unit}".rstrip()
        verdict = "met" if figure.is_met else "**not met**"
    value = f"{number(figure.value)} {figure.unit}".rstrip()
    return f"| {figure.name} | {value} | {bar} | {verdict} |"


def result_table(path: Path) -> str:
    """One measurement: its title, its table and the machine."""
    title, machine, figures = read_result(path)
    lines = [f"**{title}**", "", "| what | measured | bar | |", "|---|---|---|---|"]
    lines += [figure_row(figure) for figure in figures]
    place = (
        f"{machine['processor']}, {machine['processors']} processors, "
        f"{machine['system']}, Python {machine['python']}, torch {machine['torch']}"
    )
    return "\n".join([*lines, "", f"`python -m benchmarks {path.stem}` on {place}."])


def figures_text() -> str:
    """Every result, in the order of the names."""
    return "\n\n".join(result_table(path) for path in sorted(RESULTS.glob("*.json")))


RENDERERS: dict[str, Callable[[], str]] = {
    "figures": figures_text,
    "support": support_table,
}


def rendered(text: str, renderers: Mapping[str, Callable[[], str]]) -> str:
    """The document with every generated part made anew."""

    def replacement(match: re.Match[str]) -> str:
        content = renderers[match["name"]]()
        return f"{match['begin']}{content}\n{match['end']}"

    return REGION.sub(replacement, text)


def main() -> int:
    """Rewrites the documents; with --check returns 1 if one is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing")
    only_check = parser.parse_args().check
    stale = 0
    for file in repository_files(ROOT):
        if file.suffix != ".md":
            continue
        old = (ROOT / file).read_text(encoding="utf-8")
        new = rendered(old, RENDERERS)
        if new == old:
            continue
        stale += 1
        print(f"{file}: {'out of date, run make docs' if only_check else 'rendered'}")
        if not only_check:
            (ROOT / file).write_text(new, encoding="utf-8")
    return 1 if only_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
