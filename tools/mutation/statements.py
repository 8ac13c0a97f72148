# SPDX-License-Identifier: MIT
"""Cuts a Metal file into statements and the heads of blocks, with their lines.

It knows as much of the language as clang-format's output needs: comments,
directives, declarations of functions, and where a statement ends.
"""

from __future__ import annotations

import collections
import dataclasses
import re

# Heads of declarations: nothing in them is executed.
DECLARATION = re.compile(
    r"^(template\b|METAL_FUNC\b|struct\b|enum\b|using\b|static_assert\b|namespace\b"
    r"|\[\[kernel|constexpr int padded_columns)"
)


@dataclasses.dataclass(frozen=True)
class Statement:
    """Code of consecutive lines, joined into one, without its comments."""

    file: str
    first_line: int
    last_line: int
    text: str
    # One for the first statement of the file with this text, two for the second.
    occurrence: int

    @property
    def is_head(self) -> bool:
        """Whether it opens a block: `if (...) {`, `for (...) {`."""
        return self.text.endswith("{")


def without_comment(line: str) -> str:
    """The code of a line."""
    return re.sub(r"\s*//.*$", "", line)


def is_complete(text: str) -> bool:
    """Whether collected lines end a statement or the head of a block."""
    if text.count("(") != text.count(")"):
        return False
    return text.endswith((";", "{", "}", ":")) or text == "FLASH_ATTN_UNROLL"


def statements_of(file: str, text: str) -> list[Statement]:
    """Statements and heads of blocks, in the order of the file."""
    found = []
    counts: collections.Counter[str] = collections.Counter()
    collected: list[str] = []
    first_line = 0
    for number, line in enumerate(text.splitlines(), start=1):
        code = without_comment(line).strip()
        if not code or code.startswith("#"):
            continue
        if not collected:
            first_line = number
        collected.append(code)
        joined = " ".join(collected)
        if not is_complete(joined):
            continue
        collected = []
        joined = re.sub(r"\( ", "(", joined)
        if joined not in ("}", "};", "FLASH_ATTN_UNROLL", "public:"):
            counts[joined] += 1
            found.append(Statement(file, first_line, number, joined, counts[joined]))
    return [statement for statement in found if not DECLARATION.match(statement.text)]
