# SPDX-License-Identifier: MIT
"""Mutation test of the Metal kernels: prints caught, equivalent and total.

    python -m tools.mutate_kernels [--every N] [--only TEXT] [--jobs N] [--list]

Each mutant must be caught by a test (a problem of tools.mutation.problems and a
kernel; wrong numbers or a report of the simulator's checkers) or stand, with the
reason why it changes nothing, in tools/mutation/equivalent_mutants.csv.
"""

from __future__ import annotations

import argparse
import collections
import csv
import pathlib
import time

from tools.mutation.mutants import Mutant, all_mutants

ROOT = pathlib.Path(__file__).parents[1]
EQUIVALENTS = ROOT / "tools" / "mutation" / "equivalent_mutants.csv"


def equivalents() -> dict[tuple[str, str, str, str], str]:
    """Reason of every mutant that is known to change nothing."""
    rows = csv.DictReader(EQUIVALENTS.read_text(encoding="ascii").splitlines())
    return {
        (row["file"], row["before"], row["occurrence"], row["after"]): row["reason"]
        for row in rows
    }


def judged(
    mutants: list[Mutant], jobs: int, judges_unchanged: bool
) -> tuple[collections.Counter[str], list[Mutant]]:
    """Counts of verdicts, and the mutants that nothing caught."""
    from tools.mutation.evaluation import NOT_COMPILED, SURVIVED, judge_all

    known = equivalents()
    counts: collections.Counter[str] = collections.Counter()
    survivors = []
    for mutant, verdict in judge_all(mutants, jobs, judges_unchanged):
        if verdict == NOT_COMPILED:
            counts["not compiled"] += 1
        elif verdict != SURVIVED:
            counts["caught"] += 1
        elif mutant.key in known:
            counts["equivalent"] += 1
        else:
            survivors.append(mutant)
        print(f"{mutant}\n    {verdict}", flush=True)
    return counts, survivors


def main() -> int:
    """Runs the mutation test; returns 1 if a mutant survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take one mutant in N")
    parser.add_argument("--only", default="", help="mutants whose line has this text")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the mutants only")
    options = parser.parse_args()
    mutants = [m for m in all_mutants(ROOT) if options.only in str(m)][:: options.every]
    if options.list:
        print(*mutants, sep="\n")
        return 0
    start = time.monotonic()
    counts, survivors = judged(mutants, options.jobs, options.every == 1)
    for mutant in survivors:
        print(f"SURVIVED {mutant}")
    print(
        f"{counts['caught']} caught, {counts['equivalent']} equivalent, "
        f"{len(survivors)} survived, {len(mutants) - counts['not compiled']} total "
        f"({counts['not compiled']} more do not compile), "
        f"{time.monotonic() - start:.0f} s"
    )
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
