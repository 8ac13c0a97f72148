# SPDX-License-Identifier: MIT
"""Proves the checkers: every kernel of defects/ has one planted defect and a twin.

The defect must be reported, by kind and line; the twin, which differs only by
the repair, must run in silence. Both run unoptimised and optimised.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import difflib
import pathlib
import re
from typing import Any

import numpy as np
import pytest

from flash_attn_mps import simulator

DEFECTS = pathlib.Path(__file__).parent / "defects"
KINDS = (
    "bounds",
    "race",
    "uninitialised",
    "divergence",
    "inactive-lane",
    "alignment",
    "limit",
    "arithmetic",
)
# Lines of code that a repair may touch; the largest replaces a plain counter
# by an atomic one.
MOST_REPAIRED_LINES = 8


@dataclasses.dataclass(frozen=True)
class DefectFile:
    """One kernel of defects/ with the launch that its header describes."""

    path: pathlib.Path
    twin: str | None
    threads: tuple[int, int, int]
    group: tuple[int, int, int]
    buffers: list[str]
    threadgroup_bytes: list[int]
    constants: dict[int, int]
    place: dict[str, Any]
    marks: dict[int, str]

    @property
    def kernel_name(self) -> str:
        """Name of the only kernel of the file."""
        names = re.findall(r"kernel void (\w+)", self.path.read_text())
        assert len(names) == 1, self.path
        return str(names[0])

    def run(self, optimization: int) -> simulator.Report:
        """Compiles and dispatches the kernel under all checkers."""
        library = simulator.Library(
            self.path,
            constants=self.constants,
            checks="all",
            optimization=optimization,
        )
        return library.kernel(self.kernel_name).dispatch(
            threads=self.threads,
            group=self.group,
            buffers=[make_buffer(text) for text in self.buffers],
            threadgroup_bytes=self.threadgroup_bytes,
            raise_on_violation=False,
        )


def make_buffer(text: str) -> Any:
    """Makes what a `// buffer:` line describes, for example `empty float32[8]`."""
    if text == "none":
        return None
    if text.startswith("bytes "):
        return bytes(int(text.split()[1]))
    array = re.fullmatch(r"(empty )?(\w+)\[(\d+)\]", text)
    if array is None:
        type_name, value = text.split()
        return np.dtype(type_name).type(value)
    dtype, length = np.dtype(array[2]), int(array[3])
    if array[1]:
        return simulator.empty((length,), dtype)
    period = 61 if dtype.kind == "f" else 7
    return (np.arange(length) % period).astype(dtype)


def read_values(text: str) -> dict[str, Any]:
    """Reads `a=1 b=(2, 3) c=word` as a dictionary."""
    pairs = re.findall(r"(\w+)=(\([^)]*\)|\S+)", text)
    return {
        name: value if value.isidentifier() else ast.literal_eval(value)
        for name, value in pairs
    }


def read_defect_file(path: pathlib.Path) -> DefectFile:
    """Reads header and marks of one kernel file."""
    lines = path.read_text().splitlines()
    header = collections.defaultdict(list)
    marks = {}
    for number, line in enumerate(lines, start=1):
        if entry := re.match(
            r"// (twin|launch|buffer|\w+_bytes|constant|at): (.*)", line
        ):
            header[entry[1]].append(entry[2])
        elif mark := re.search(r"// defect: (\S+)$", line):
            marks[number] = mark[1]
    launch = read_values(header["launch"][0])
    constants = [[int(word) for word in line.split()] for line in header["constant"]]
    return DefectFile(
        path=path,
        twin=header["twin"][0] if header["twin"] else None,
        threads=launch["threads"],
        group=launch["group"],
        buffers=header["buffer"],
        threadgroup_bytes=[int(text) for text in header["threadgroup_bytes"]],
        constants=dict(constants),
        place=read_values(header["at"][0]) if header["at"] else {},
        marks=marks,
    )


FILES = {
    path.relative_to(DEFECTS).as_posix(): read_defect_file(path)
    for path in sorted(DEFECTS.glob("*/*.metal"))
}
PLANTED = {name: file for name, file in FILES.items() if file.marks}


def kind_of(name: str) -> str:
    """Kind that the folder of a file stands for."""
    return name.split("/")[0].replace("_", "-")


def twin_of(name: str) -> DefectFile:
    """The repaired kernel beside the one with the defect."""
    return FILES[f"{name.split('/')[0]}/{PLANTED[name].twin}.metal"]


def describe(report: simulator.Report) -> str:
    """Everything that was reported, for the message of a failed test."""
    return "\n\n".join(str(violation) for violation in report.violations)


@pytest.mark.parametrize("optimization", [0, 2])
@pytest.mark.parametrize("name", PLANTED)
def test_defect_is_reported_with_kind_and_line(
    name: str, optimization: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    defect = PLANTED[name]
    if defect.place:
        # Of several workers any may be the first to report what each of its
        # threadgroups does; one runs the threadgroups in order.
        monkeypatch.setenv("FLASH_ATTN_MPS_SIMULATOR_THREADS", "1")
    report = defect.run(optimization)
    assert report.violations, f"{name}: nothing was reported"
    kinds = {violation.kind for violation in report.violations}
    assert kinds == {kind_of(name)}, describe(report)
    for violation in report.violations:
        assert pathlib.Path(violation.file).name == defect.path.name
        assert violation.line in defect.marks, describe(report)
    for field, value in defect.place.items():
        assert getattr(report.violations[0], field) == value, describe(report)


@pytest.mark.parametrize("optimization", [0, 2])
@pytest.mark.parametrize("name", PLANTED)
def test_repaired_twin_is_silent(name: str, optimization: int) -> None:
    report = twin_of(name).run(optimization)
    assert not report.violations, describe(report)


def test_suite_covers_every_kind_and_three_extents() -> None:
    assert len(PLANTED) >= 60
    count = collections.Counter(kind_of(name) for name in PLANTED)
    grids = collections.Counter(
        kind_of(name) for name, file in PLANTED.items() if has_three_extents(file)
    )
    assert sorted(count) == sorted(KINDS)
    assert min(count.values()) >= 4, count
    assert sorted(grids) == sorted(KINDS), grids


def has_three_extents(file: DefectFile) -> bool:
    """Whether the grid has three different extents, none of them 1."""
    return len(set(file.threads)) == 3 and min(file.threads) > 1


def test_every_file_is_a_defect_or_the_twin_of_one() -> None:
    twins = [twin_of(name).path for name in PLANTED]
    assert len(set(twins)) == len(twins)
    paths = {file.path for file in FILES.values()}
    assert paths == set(twins) | {file.path for file in PLANTED.values()}
    for name, file in PLANTED.items():
        assert set(file.marks.values()) == {kind_of(name)}, name


def test_twins_differ_only_by_the_repair() -> None:
    for name, file in PLANTED.items():
        old, new = code_lines(file.path), code_lines(twin_of(name).path)
        changed = [
            line
            for line in difflib.ndiff(old, new)
            if line.startswith(("- ", "+ ")) and line[2:].strip()
        ]
        assert len(changed) <= 2 * MOST_REPAIRED_LINES, (name, changed)
        assert changed, name


def code_lines(path: pathlib.Path) -> list[str]:
    """The file without descriptions and marks, but with its launch."""
    lines = path.read_text().splitlines()
    kept = [
        re.sub(r"\s*// defect: \S+$", "", line)
        for line in lines
        if not re.match(r"//($| (?!launch|buffer|threadgroup_bytes|constant))", line)
    ]
    return [line for line in kept if line.strip()]
