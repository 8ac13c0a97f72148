# SPDX-License-Identifier: MIT
"""Samples of the two campaigns on our own kernels; the whole ones are tools.

tools.mutate_kernels changes the kernels and expects to notice; tools.false_reports
runs them unchanged under all checkers and expects silence.
"""

from __future__ import annotations

import pathlib
import random
import re
import subprocess
import sys

from tools.mutate_kernels import equivalents
from tools.mutation.mutants import all_mutants, apply, mutants_of_file

ROOT = pathlib.Path(__file__).parents[2]


def output_of(*arguments: str) -> str:
    """Output of a tool, which must succeed."""
    result = subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_sample_of_mutants_is_caught() -> None:
    output = output_of("tools.mutate_kernels", "--every", "149")
    match = re.search(
        r"(\d+) caught, (\d+) equivalent, 0 survived, (\d+) total", output
    )
    assert match, output
    assert int(match[1]) >= 3, output


def test_sample_of_random_problems_is_silent() -> None:
    # A new seed in every run; it stands in the output of a failed test.
    seed = str(random.randrange(2**31))
    output = output_of("tools.false_reports", "--problems", "4", "--seed", seed)
    assert "4 problems, 0 false reports" in output, output


def test_mutants_cover_every_rule_and_every_file() -> None:
    mutants = all_mutants(ROOT)
    files = {mutant.file for mutant in mutants}
    assert {mutant.rule for mutant in mutants} >= {
        "bound",
        "condition",
        "sign",
        "stride",
        "layout",
        "removal",
    }
    for folder in ("attention", "kernels", "tile"):
        for path in (ROOT / "metal" / folder).iterdir():
            assert path.relative_to(ROOT).as_posix() in files


def test_barriers_are_removed_wherever_there_are_any() -> None:
    text = "kernel void f() {\n  threadgroup_barrier(mem_flags::mem_none);\n}\n"
    rules = [mutant.rule for mutant in mutants_of_file("metal/f.metal", text)]
    assert "barrier" in rules


def test_mutant_changes_its_lines_of_the_generated_text_only() -> None:
    text = '#line 1 "metal/a.h"\nint a;\n#line 7 "metal/b.h"\nx = a < 3;\ny = a < 3;\n'
    (mutant, *_) = [
        mutant
        for mutant in mutants_of_file("metal/b.h", "\n" * 7 + "y = a < 3;\n")
        if mutant.rule == "bound"
    ]
    assert apply(mutant, text) == text.replace("y = a < 3;", "y = a <= 3;")


def test_equal_statements_of_a_file_have_mutants_of_their_own() -> None:
    # A reason in the table of equivalents must not excuse another place.
    mutants = mutants_of_file("metal/a.h", "x = a < 3;\ny = b;\nx = a < 3;\n")
    bounds = [mutant.key for mutant in mutants if mutant.rule == "bound"]
    assert len(set(bounds)) == len(bounds) == 2


def test_every_equivalent_mutant_exists_and_has_a_reason() -> None:
    keys = {mutant.key for mutant in all_mutants(ROOT)}
    for key, reason in equivalents().items():
        assert key in keys, key
        assert len(reason.split()) >= 4, key
