# SPDX-License-Identifier: MIT
"""Lengths of functions, kernels and files, as the structure check reads them."""

from __future__ import annotations

from benchmarks.figure import Figure
from tools.check_structure import (
    MAX_FILE_LINES,
    MAX_FUNCTION_LINES,
    MAX_KERNEL_LINES,
    MAX_MEDIAN_LINES,
    measured_sizes,
)
from tools.source_files import ROOT, repository_files

TITLE = "Lengths of the sources"


def measure() -> list[Figure]:
    """The product's median; the longest of everything."""
    sizes = measured_sizes(ROOT, repository_files(ROOT))
    bars = {
        "median_function_lines": ("median function", MAX_MEDIAN_LINES),
        "longest_function_lines": ("longest function", MAX_FUNCTION_LINES),
        "longest_kernel_lines": ("longest kernel body", MAX_KERNEL_LINES),
        "longest_file_lines": ("longest file", MAX_FILE_LINES),
    }
    return [
        Figure(label, sizes[key], "lines", bar) for key, (label, bar) in bars.items()
    ]
