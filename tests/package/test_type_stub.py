# SPDX-License-Identifier: MIT
"""The type stub of the package names exactly what the package offers."""

from __future__ import annotations

import ast
from pathlib import Path

import flash_attn_mps


def _public_names(module: ast.Module) -> list[str]:
    """The list that a module's text assigns to __all__."""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    raise AssertionError("the stub assigns no __all__")


def test_stub_offers_the_names_of_the_package() -> None:
    stub = Path(flash_attn_mps.__file__).with_suffix(".pyi")
    module = ast.parse(stub.read_text(encoding="ascii"))
    assert _public_names(module) == flash_attn_mps.__all__
    assert all(hasattr(flash_attn_mps, name) for name in flash_attn_mps.__all__)
