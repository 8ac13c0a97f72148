# SPDX-License-Identifier: MIT
"""The Python text of the documents and of the docstrings runs as it stands."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import flash_attn_mps
from tools.source_files import ROOT, repository_files

PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def python_blocks() -> list[tuple[str, str]]:
    """Every Python block of every document, with a name."""
    found = []
    for file in repository_files(ROOT):
        if file.suffix == ".md":
            blocks = PYTHON_BLOCK.findall((ROOT / file).read_text(encoding="utf-8"))
            found += [(f"{file}-{i}", block) for i, block in enumerate(blocks, 1)]
    return found


def module_names() -> list[str]:
    """Every module of the package, so that its docstrings are run."""
    folder = Path(flash_attn_mps.__file__).parent
    files = sorted(folder.rglob("*.py"))
    parts = [file.relative_to(folder.parent).with_suffix("").parts for file in files]
    return [
        ".".join(part for part in name if part != "__init__")
        for name in parts
        if name[-1] == "__init__" or not name[-1].startswith("_")
    ]


BLOCKS = python_blocks()


@pytest.mark.parametrize("block", [b for _, b in BLOCKS], ids=[n for n, _ in BLOCKS])
def test_python_of_a_document_runs(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "block", "exec"), {"__name__": "block"})


@pytest.mark.parametrize("name", module_names())
def test_examples_of_a_module_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_the_readme_has_python_to_run() -> None:
    assert any(name.startswith("README.md") for name, _ in BLOCKS)
