# SPDX-License-Identifier: MIT
"""Generated parts are replaced, the rest of a document is left alone."""

from __future__ import annotations

from benchmarks.figure import Figure
from tools.render_docs import figure_row, rendered

DOCUMENT = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n"


def test_only_the_generated_part_changes() -> None:
    new = rendered(DOCUMENT, {"x": lambda: "new\nlines"})
    assert new == "a\n<!-- begin x -->\nnew\nlines\n<!-- end x -->\nb\n"


def test_rendering_twice_changes_nothing() -> None:
    once = rendered(DOCUMENT, {"x": lambda: "new"})
    assert rendered(once, {"x": lambda: "new"}) == once


def test_a_missed_bar_is_said() -> None:
    assert figure_row(Figure("f", 2.5, "s", 2.0)) == (
        "| f | 2.5 s | at most 2 s | **not met** |"
    )
    assert figure_row(Figure("f", 2.5, "x", 2.0, bar_is_minimum=True)) == (
        "| f | 2.5 x | at least 2 x | met |"
    )
    assert figure_row(Figure("f", 123456, "KB")) == "| f | 123,456 KB | - | - |"
