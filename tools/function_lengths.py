# SPDX-License-Identifier: MIT
"""Measures functions of C++, Metal and Python text in lines.

C++ is read by matching braces after comments, literals and preprocessor lines
are blanked out; that is exact for text which clang-format has formatted.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from tools.source_files import CPP_SUFFIXES, METAL_SUFFIXES

# Comments, raw strings, strings, characters, preprocessor lines.
NOT_CODE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
      | ^[ \t]*\#(?:\\\n|[^\n])*""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
SCOPE = re.compile(
    r"^(?:template\s*<.*>\s*)?(?:inline\s+)?"
    r'(?:namespace|struct|class|enum|union|extern\s+"C"|extern\s*$)\b',
    re.DOTALL,
)
AFTER_PARAMETERS = (
    r"(?:\s|const\b|noexcept\b(?:\(.*?\))?|override\b|final\b|mutable\b|&+"
    r"|->[^{}=;]+|requires\b[^{};]+|\[\[[^\]]*\]\]|(?<!:):(?!:).*)*$"
)
FUNCTION = re.compile(r"\)" + AFTER_PARAMETERS, re.DOTALL)
# A member's braces in a constructor's list, not yet the constructor's body.
MEMBER_BRACE = re.compile(r"\)\s*(?:noexcept\s*)?(?<!:):(?!:).*[\w>]$", re.DOTALL)
NAME = re.compile(r"(operator\s*[^\s\w(]+|operator\(\)|[\w~]+)\s*\(")


@dataclass(frozen=True)
class Function:
    """One function: where it is and how many lines its body spans."""

    file: Path
    line: int
    name: str
    lines: int
    is_kernel: bool = False


@dataclass
class Block:
    """An open brace: what it belongs to and where it began."""

    kind: str  # "scope", "function" or "initializer"
    head: str
    line: int


def blanked(text: str) -> str:
    """The text with everything that is not code replaced by spaces."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def block_kind(head: str) -> str:
    """Classifies a brace by the text between the last statement and it."""
    if SCOPE.match(head):
        return "scope"
    is_function = FUNCTION.search(head) and not MEMBER_BRACE.search(head)
    return "function" if is_function else "initializer"


def function_from(block: Block, last_line: int, file: Path) -> Function:
    """Describes the function whose closing brace was just read."""
    match = NAME.search(re.sub(r"\[\[.*?\]\]", "", block.head))
    name = match.group(1) if match else "?"
    is_kernel = re.search(r"\bkernel\b", block.head) is not None
    return Function(file, block.line, name, last_line - block.line + 1, is_kernel)


def cpp_functions(file: Path, text: str) -> list[Function]:
    """Every function of a C++ or Metal text; lambdas belong to their function."""
    functions: list[Function] = []
    blocks: list[Block] = []
    head, line = "", 1
    for character in blanked(text):
        line += character == "\n"
        inside_function = any(block.kind == "function" for block in blocks)
        if character == "{":
            kind = "initializer" if inside_function else block_kind(head.strip())
            blocks.append(Block(kind, head, line))
            head = ""
        elif character == "}" and blocks:
            block = blocks.pop()
            if block.kind == "function":
                functions.append(function_from(block, line, file))
            head = block.head + "{}" if block.kind == "initializer" else ""
        else:
            head = "" if character == ";" else head + character
    return functions


def python_functions(file: Path, text: str) -> list[Function]:
    """Every function of a Python text, its docstring not counted."""
    functions = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        first = node.body[0]
        has_docstring = ast.get_docstring(node, clean=False) is not None
        docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
        lines = (node.end_lineno or 0) - node.lineno + 1 - docstring
        functions.append(Function(file, node.lineno, node.name, lines))
    return functions


def functions_of(root: Path, file: Path) -> list[Function]:
    """Every function of one file, by its kind; none for other files."""
    text = (root / file).read_text(encoding="utf-8")
    if file.suffix in CPP_SUFFIXES + METAL_SUFFIXES:
        return cpp_functions(file, text)
    return python_functions(file, text) if file.suffix == ".py" else []
