# SPDX-License-Identifier: MIT
"""The dialect check: a table of snippets, the command, our own kernels.

The snippets lie in dialect/*.metal. Each names its verdict, which is a rule or
`accepted`, and where the verdict is known from.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
import sys

import pytest

from flash_attn_mps import check_metal
from tools import check_generated_metal

SNIPPETS = pathlib.Path(__file__).parent / "dialect"
PROLOGUE = "#include <metal_stdlib>\nusing namespace metal;\n"


@dataclasses.dataclass(frozen=True)
class Snippet:
    """A piece of Metal and what is known of it."""

    name: str
    verdict: str
    known_from: str
    text: str

    @property
    def marks(self) -> list[int]:
        """Lines that carry a `// finding` mark."""
        lines = (PROLOGUE + self.text).splitlines()
        return [
            number
            for number, line in enumerate(lines, start=1)
            if line.endswith("// finding")
        ]


def read_snippets(path: pathlib.Path) -> list[Snippet]:
    """The snippets of one file."""
    parts = re.split(r"^// snippet: ", path.read_text(), flags=re.MULTILINE)[1:]
    snippets = []
    for part in parts:
        name, verdict, known_from, text = part.split("\n", maxsplit=3)
        snippets.append(
            Snippet(
                name=f"{path.stem}/{name}",
                verdict=verdict.removeprefix("// verdict: "),
                known_from=known_from.removeprefix("// known from: "),
                text=text,
            )
        )
    return snippets


TABLE = {
    snippet.name: snippet
    for path in sorted(SNIPPETS.glob("*.metal"))
    for snippet in read_snippets(path)
}


@pytest.mark.parametrize("name", TABLE)
def test_snippet_has_its_verdict(name: str, tmp_path: pathlib.Path) -> None:
    snippet = TABLE[name]
    file = tmp_path / "snippet.metal"
    file.write_text(PROLOGUE + snippet.text)
    findings = check_metal.check_file(file)
    message = "\n".join(f"[{finding.rule}] {finding}" for finding in findings)
    if snippet.verdict == "accepted":
        assert not findings, message
        return
    assert {finding.rule for finding in findings} == {snippet.verdict}, message
    assert sorted({finding.line for finding in findings}) == snippet.marks, message
    assert {finding.file for finding in findings} == {str(file)}


def test_table_is_large_and_says_where_verdicts_are_known_from() -> None:
    assert len(TABLE) >= 80
    verdicts = [snippet.verdict == "accepted" for snippet in TABLE.values()]
    assert 30 <= sum(verdicts) <= len(verdicts) - 30
    for snippet in TABLE.values():
        assert snippet.known_from, snippet.name
        assert (snippet.verdict == "accepted") == (not snippet.marks), snippet.name


def test_character_outside_ascii_is_found_in_code(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "snippet.metal"
    file.write_text(PROLOGUE + "constant float k\u00c4 = 1.0f;\n", encoding="utf-8")
    rules = {finding.rule for finding in check_metal.check_file(file)}
    assert "ascii" in rules


def test_character_outside_ascii_in_a_comment_is_found_in_strict_mode_only(
    tmp_path: pathlib.Path,
) -> None:
    file = tmp_path / "snippet.metal"
    file.write_text(PROLOGUE + "// Copyright \u00a9 someone\n", encoding="utf-8")
    assert not check_metal.check_file(file)
    (finding,) = check_metal.check_file(file, strict=True)
    assert finding.rule == "ascii"


def test_conversion_from_bfloat_is_explicit_in_strict_mode() -> None:
    text = PROLOGUE + "float widen(bfloat x) {\n  float y = x;\n  return y;\n}\n"
    assert not check_metal.check_text(text)
    (finding,) = check_metal.check_text(text, strict=True)
    assert (finding.rule, finding.line) == ("bfloat-conversion", 4)


def test_name_outside_the_vocabulary_is_found_in_strict_mode() -> None:
    text = PROLOGUE + "float next(float x) {\n  return nextafter(x, 2.0f);\n}\n"
    findings = check_metal.check_text(text, strict=True)
    assert "vocabulary" in {finding.rule for finding in findings}


def test_name_unknown_in_its_namespace_is_found_in_strict_mode() -> None:
    known = "float f(float x) {\n  return fast::exp2(x);\n}\n"
    unknown = "float f(float x) {\n  return fast::rotate(x);\n}\n"
    assert not check_metal.check_text(PROLOGUE + known, strict=True)
    rules = {
        finding.rule
        for finding in check_metal.check_text(PROLOGUE + unknown, strict=True)
    }
    assert "vocabulary" in rules


def test_text_that_does_not_compile_is_not_judged_further() -> None:
    text = "struct Range {\n  uint first;\n};\nUNKNOWN Range whole(uint length);\n"
    findings = check_metal.check_text(PROLOGUE + text)
    assert {finding.rule for finding in findings} == {"compile"}
    assert {finding.line for finding in findings} == {6}


def test_quoted_include_is_found_in_a_text_compiled_at_run_time(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "part.h").write_text("constant int kWidth = 4;\n")
    text = '#include "part.h"\n'
    file = tmp_path / "whole.metal"
    file.write_text(text)
    assert not check_metal.check_file(file)
    (finding,) = check_metal.check_text(text, include_paths=[tmp_path])
    assert (finding.rule, finding.line) == ("include", 1)


def test_finding_in_an_included_file_names_that_file(tmp_path: pathlib.Path) -> None:
    part = tmp_path / "part.h"
    part.write_text("\nint counter = 3;\n")
    file = tmp_path / "whole.metal"
    file.write_text('#include "part.h"\n')
    (finding,) = check_metal.check_file(file)
    assert (finding.file, finding.line) == (str(part), 2)


def test_file_name_may_hold_blanks_commas_and_colons(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "my kernels, draft 12:3.metal"
    file.write_text("int counter = 3;\n")
    (finding,) = check_metal.check_file(file)
    assert (finding.file, finding.line) == (str(file), 1)


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `python -m flash_attn_mps check-metal` with arguments."""
    return subprocess.run(
        [sys.executable, "-m", "flash_attn_mps", "check-metal", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_command_prints_findings_and_exits_with_one(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "bad.metal"
    file.write_text(PROLOGUE + "float f(double x) {\n  return float(x);\n}\n")
    result = run_command(str(file))
    assert result.returncode == 1, result.stderr
    assert result.stdout.splitlines() == [
        f"{file}:3: Metal has no `double`; use `float`"
    ]


def test_command_is_silent_and_exits_with_zero(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "good.metal"
    file.write_text(PROLOGUE + "float f(float x) {\n  return WIDTH * x;\n}\n")
    result = run_command("-DWIDTH=4", str(file))
    assert (result.returncode, result.stdout) == (0, ""), result.stderr


def test_command_names_a_file_that_cannot_be_read(tmp_path: pathlib.Path) -> None:
    result = run_command(str(tmp_path / "absent.metal"))
    assert result.returncode == 1
    assert "absent.metal:1: cannot be read" in result.stdout


# One text in so many is checked here; tools.check_generated_metal checks them all.
EVERY = 40


def test_generated_texts_have_no_finding_in_strict_mode() -> None:
    texts = list(check_generated_metal.generated_texts().items())
    assert len(texts) > 50
    findings = [
        f"{name}: {finding}"
        for name, text in texts[::EVERY]
        for finding in check_generated_metal.findings_of(name, text)
    ]
    assert not findings, "\n".join(findings)


def test_allowed_names_stand_in_the_kernels_own_document() -> None:
    document = pathlib.Path(__file__).parents[2] / "metal" / "README.md"
    for row in check_metal.read_table("metal_vocabulary_allowed.csv"):
        assert f"`{row['name']}`" in document.read_text(), row
        assert row["reason"], row
