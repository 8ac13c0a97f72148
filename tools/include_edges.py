# SPDX-License-Identifier: MIT
"""Proves the direction of dependencies: which folder may include which.

The table below is the one place where an edge is allowed; it is checked to be
free of cycles, and every include of C++ and Metal text is checked against it.
"""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path, PurePosixPath

from tools.source_files import CPP_SUFFIXES, METAL_SUFFIXES, with_suffix
from tools.structure_finding import Finding

HOST = ("csrc/problem", "csrc/plan", "csrc/specialize")
# The two C functions by which, on Linux, the host code asks for an error's text and
# says which memory holds nothing yet: all that it sees of the simulator.
HOOKS = "csrc/simulator/shim/simulator_hooks.h"
# What the executing core reports to; it knows no checker.
OBSERVER_INTERFACE = (
    "csrc/simulator/observe/observer.h",
    "csrc/simulator/observe/observer_set.h",
    "csrc/simulator/observe/violation.h",
)
SIMULATOR = (
    "csrc/simulator/metal_headers",
    "csrc/simulator/translate",
    *OBSERVER_INTERFACE,
    "csrc/simulator/execute",
    "csrc/simulator/observe",
)

# Folder, or single header that stands apart from its folder -> what it may include
# besides itself.
ALLOWED_EDGES: dict[str, tuple[str, ...]] = {
    "metal/shared": (),
    "metal/tile": ("metal/shared",),
    "metal/attention": ("metal/shared", "metal/tile"),
    "metal/kernels": ("metal/shared", "metal/tile", "metal/attention"),
    "metal/probes": ("metal/shared", "metal/tile"),
    "csrc/problem": (),
    "csrc/plan": ("csrc/problem", "metal/shared"),
    "csrc/specialize": ("csrc/problem", "csrc/plan", "metal/shared"),
    "csrc/dispatch": (*HOST, "metal/shared", HOOKS),
    "csrc/torch": (*HOST, "csrc/dispatch", "metal/shared", HOOKS),
    "csrc/simulator/metal_headers": (),
    "csrc/simulator/translate": (),
    "csrc/simulator/dialect": ("csrc/simulator/translate",),
    "csrc/simulator/observe/violation.h": SIMULATOR[:1],
    "csrc/simulator/observe/observer.h": SIMULATOR[:1],
    "csrc/simulator/observe/observer_set.h": OBSERVER_INTERFACE[:1],
    "csrc/simulator/execute": SIMULATOR[:5],
    "csrc/simulator/observe": SIMULATOR[:6],
    HOOKS: (),
    "csrc/simulator/shim": (*SIMULATOR, HOOKS),
    "csrc/simulator/python": (*SIMULATOR, "csrc/simulator/dialect"),
    "tests/cpp": (
        *HOST,
        "csrc/dispatch",
        *SIMULATOR,
        "csrc/simulator/dialect",
        "metal/shared",
    ),
}

# Prefix of an outside header -> folders that may include it.
ALLOWED_OUTSIDE: dict[str, tuple[str, ...]] = {
    "torch/csrc/stable/": ("csrc/torch",),
    "torch/headeronly/": ("csrc/torch",),
    "torch/csrc/inductor/aoti_torch/c/": (
        "csrc/torch",
        "csrc/dispatch",
        "csrc/simulator/shim",
        "tests/cpp",
    ),
    "torch/": (),
    "ATen/": (),
    "c10/": (),
    "pybind11/": ("csrc/simulator/python",),
    "Python.h": (),
    "boost/": ("tests/cpp",),
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


def folder_of(file: PurePosixPath) -> str | None:
    """The entry of the table that owns a file: the longest that matches."""
    owners = [name for name in ALLOWED_EDGES if file.is_relative_to(name)]
    return max(owners, key=len, default=None)


def included_folder(header: str, including: PurePosixPath) -> str | None:
    """The folder of the table that a quoted include reaches, if any."""
    for root in ("", "csrc/", "csrc/simulator/metal_headers/"):
        folder = folder_of(PurePosixPath(root + header))
        if folder is not None:
            return folder
    return folder_of(including.parent / header)


def check_quoted(header: str, file: Path, line: int) -> list[Finding]:
    """A header of ours must lie in the same folder or in one below it."""
    path = PurePosixPath(file)
    owner = folder_of(path)
    target = included_folder(header, path)
    if owner is None or target is None:
        sentence = f'include of "{header}" belongs to no folder of the table'
        return [Finding(file, line, sentence)]
    if target != owner and target not in ALLOWED_EDGES[owner]:
        sentence = f"{owner} must not include {target} ({header})"
        return [Finding(file, line, sentence)]
    return []


def check_outside(header: str, file: Path, line: int) -> list[Finding]:
    """A third-party header may be included from the listed folders only."""
    for prefix, folders in ALLOWED_OUTSIDE.items():
        if header.startswith(prefix):
            if folder_of(PurePosixPath(file)) in folders:
                return []
            sentence = f"<{header}> may be included from {list(folders)} only"
            return [Finding(file, line, sentence)]
    return []


def check_file(file: Path, text: str) -> list[Finding]:
    """Checks every include of one file."""
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        quoted, angled = match.groups()
        header = quoted or angled
        # A quoted "torch/..." is csrc/torch unless it goes on as torch's folders do.
        outside = angled or any(
            header.startswith(name) for name in ALLOWED_OUTSIDE if name != "torch/"
        )
        check = check_outside if outside else check_quoted
        findings += check(header, file, number)
    return findings


def check_include_edges(root: Path, files: list[Path]) -> list[Finding]:
    """Checks all C++ and Metal text below csrc, metal and tests/cpp."""
    # Raises CycleError: a table with a cycle would prove nothing.
    TopologicalSorter(ALLOWED_EDGES).prepare()
    findings = []
    for file in with_suffix(files, CPP_SUFFIXES + METAL_SUFFIXES):
        if file.parts[0] in ("csrc", "metal") or file.parts[:2] == ("tests", "cpp"):
            findings += check_file(file, (root / file).read_text(encoding="utf-8"))
    return findings
