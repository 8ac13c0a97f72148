# SPDX-License-Identifier: MIT
"""Every fault of the list has a test that names it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests import faults

NUMBERS = re.findall(r"^(A\d\d) ", faults.__doc__ or "", flags=re.MULTILINE)


def _docstrings() -> str:
    texts = []
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                texts.append(ast.get_docstring(node) or "")
    return "\n".join(texts)


def test_list_of_faults_is_not_empty() -> None:
    """The pattern finds the lines of the list."""
    assert len(NUMBERS) == 21


@pytest.mark.parametrize("number", NUMBERS)
def test_fault_is_named_by_the_docstring_of_a_test(number: str) -> None:
    """A fault whose test disappears is noticed."""
    assert re.search(rf"\b{number}\b", _docstrings())
