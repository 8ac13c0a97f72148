# SPDX-License-Identifier: MIT
"""Makes mutants of Metal files: one statement each, changed in one place.

Every rule is applied wherever it fits, so that the list depends on nothing but
the text. Nothing here knows what attention is, apart from names to exchange.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
from collections.abc import Iterator

from tools.mutation.statements import Statement, statements_of

# Rule, what is looked for, what stands in its place.
REPLACEMENTS: tuple[tuple[str, str, str], ...] = (
    ("bound", r" < ", " <= "),
    ("bound", r" <= ", " < "),
    ("bound", r" > ", " >= "),
    ("bound", r" >= ", " > "),
    ("bound", r" \+ 1\b", ""),
    ("bound", r" - 1\b", ""),
    ("condition", r" == ", " != "),
    ("condition", r" != ", " == "),
    ("condition", r" && ", " || "),
    ("condition", r" \|\| ", " && "),
    ("condition", r"!kIsCausal", "true"),
    ("condition", r"(?<!!)\bkIsCausal\b", "false"),
    ("condition", r"\btrue\b", "false"),
    ("condition", r"\bfalse\b", "true"),
    ("sign", r" \+ ", " - "),
    ("sign", r" - ", " + "),
    ("sign", r" \+= ", " -= "),
    ("sign", r"(?<=[(,=] )-(?=[a-zA-Z])", ""),
    ("arithmetic", r" \* ", " + "),
    ("arithmetic", r" \*= ", " += "),
    ("arithmetic", r" / ", " * "),
    ("arithmetic", r" % ", " / "),
    ("arithmetic", r"\bmin\(", "max("),
    ("arithmetic", r"\bmax\(", "min("),
    ("arithmetic", r"\bexp2\(", "exp("),
    ("arithmetic", r"\blog\(", "log2("),
    ("constant", r"\b0\.0f\b", "1.0f"),
    ("constant", r"\b1\.0f\b", "2.0f"),
    ("constant", r"(?<=ushort\()1(?=\))", "2"),
    ("constant", r"(?<=ushort\()8(?=\))", "4"),
    ("constant", r"\+= 8\b", "+= 16"),
    ("constant", r"\b8 \*", "4 *"),
    ("constant", r"\bM_LN2_F\b", "1.0f"),
    ("constant", r"\bM_LOG2E_F\b", "1.0f"),
    ("constant", r"\bkMaskedLogit\b", "0.0f"),
    ("constant", r"\bkNegativeInfinityBits\b", "0u"),
    ("constant", r"(?<!-)\bFLT_MAX\b", "0.0f"),
    ("constant", r"\bscale_log2\b", "scale"),
    ("constant", r"params\.scale\b", "params.scale_log2"),
    ("stride", r"\bbatch_stride\b", "head_stride"),
    ("stride", r"\bhead_stride\b", "row_stride"),
    ("stride", r"(layout\.)row_stride\b", r"\1head_stride"),
    ("layout", r"params\.query\b", "params.key"),
    ("layout", r"params\.key\b", "params.value"),
    ("layout", r"params\.value\b", "params.key"),
    ("layout", r"params\.output\b", "params.grad_output"),
    ("layout", r"params\.grad_output\b", "params.output"),
    ("layout", r"params\.grad_query\b", "params.query"),
    ("layout", r"params\.grad_key\b", "params.key"),
    ("layout", r"params\.grad_value\b", "params.value"),
    ("size", r"\bquery_length\b", "key_length"),
    ("size", r"\bkey_length\b", "query_length"),
    ("size", r"\bquery_heads\b", "heads_per_group"),
    ("size", r"\bheads_per_group\b", "query_heads"),
    ("size", r"\bkHeadDim\b", "kValueHeadDim"),
    ("size", r"\bkValueHeadDim\b", "kHeadDim"),
    ("index", r"\blane\.row\b", "lane.column"),
    ("index", r"\blane\.column\b", "lane.row"),
    ("index", r"\bfirst_row\b", "first_column"),
    ("index", r"\bfirst_column\b", "first_row"),
    ("index", r"\[0\]", "[1]"),
    ("index", r"\[1\]", "[0]"),
    ("index", r"\brow0\b", "row1"),
    ("index", r"\brow1\b", "row0"),
    ("index", r"\bhead\.batch\b", "head.index"),
    ("index", r"\bhead\.index\b", "head.batch"),
    ("index", r"(?<=\()key_head(?=,)|(?<= )key_head(?=,)", "rows.head"),
)
# What may be left out as a whole: assignments, calls, jumps.
REMOVABLE = re.compile(
    r"^(?:[\w.\[\]>()-]+(?:<[^;=]*?>)? [-+*]?= .*"
    r"|[\w.:]+(?:<[^;=]*?>)?\(.*\)|return|continue);$"
)
BARRIER = re.compile(r"^(?:simdgroup|threadgroup)_barrier\(")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One changed statement."""

    rule: str
    statement: Statement
    text: str

    @property
    def file(self) -> str:
        """File of metal/ that is changed."""
        return self.statement.file

    def __str__(self) -> str:
        place = f"{self.file}:{self.statement.first_line}"
        return f"{place}: [{self.rule}] {self.statement.text}  ->  {self.text or ';'}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names the mutant in the table of equivalents: no line number."""
        statement = self.statement
        return (self.file, statement.text, str(statement.occurrence), self.text)


def mutants_of_statement(statement: Statement) -> Iterator[Mutant]:
    """Every mutant of one statement, without duplicates."""
    seen = {statement.text}
    for rule, text in [*replaced(statement), *restructured(statement)]:
        if text not in seen:
            seen.add(text)
            yield Mutant(rule, statement, text)


def replaced(statement: Statement) -> Iterator[tuple[str, str]]:
    """The rules of REPLACEMENTS, once for every place where they match."""
    for rule, pattern, replacement in REPLACEMENTS:
        for match in re.finditer(pattern, statement.text):
            head, tail = statement.text[: match.start()], statement.text[match.end() :]
            yield rule, head + match.expand(replacement) + tail


def restructured(statement: Statement) -> Iterator[tuple[str, str]]:
    """Statements left out, conditions decided, alternatives exchanged."""
    text = statement.text
    if BARRIER.match(text):
        yield "barrier", ";"
    elif REMOVABLE.match(text):
        yield "removal", ";"
    if branch := re.match(r"^if \((.*)\) \{$", text):
        yield "condition", text.replace(branch[1], "true", 1)
        yield "condition", text.replace(branch[1], "false", 1)
    if choice := re.match(r"^(.*) \? (.*) : (.*);$", text):
        yield "choice", f"{choice[1]} ? {choice[3]} : {choice[2]};"


def mutants_of_file(file: str, text: str) -> list[Mutant]:
    """Every mutant of one file of metal/."""
    return [
        mutant
        for statement in statements_of(file, text)
        for mutant in mutants_of_statement(statement)
    ]


def all_mutants(root: pathlib.Path) -> list[Mutant]:
    """Every mutant of the kernels below `root`/metal, in a fixed order."""
    files = sorted(
        path
        for folder in ("attention", "kernels", "tile")
        for path in (root / "metal" / folder).iterdir()
        if path.suffix in (".h", ".metal")
    )
    return [
        mutant
        for path in files
        for mutant in mutants_of_file(
            path.relative_to(root).as_posix(), path.read_text(encoding="ascii")
        )
    ]


def apply(mutant: Mutant, text: str) -> str:
    """The generated text of a kernel with the mutant's lines exchanged.

    Returns `text` itself if the kernel does not contain the mutant's file.
    """
    lines = text.splitlines()
    file, number = "", 0
    for index, line in enumerate(lines):
        if marker := re.match(r'#line (\d+) "(.*)"', line):
            number, file = int(marker[1]), marker[2]
            continue
        if file == mutant.file and number == mutant.statement.first_line:
            count = mutant.statement.last_line - number + 1
            lines[index : index + count] = [mutant.text] + [""] * (count - 1)
            return "\n".join(lines) + "\n"
        number += 1
    return text
