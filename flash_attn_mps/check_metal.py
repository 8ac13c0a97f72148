# SPDX-License-Identifier: MIT
"""The dialect check: what Apple's compiler would refuse in a Metal text.

`python -m flash_attn_mps check-metal FILE...` and the same check on texts. The
rules are C++ (csrc/simulator/dialect); this file reads arguments and tables.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import importlib.resources
import pathlib
from collections.abc import Mapping, Sequence

from flash_attn_mps._toolchain import IS_MACOS, configure_simulator


@dataclasses.dataclass(frozen=True)
class Finding:
    """One place in a Metal text, the rule it breaks, and what is wrong in words."""

    file: str
    line: int
    rule: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.sentence}"


def check_text(
    text: str,
    *,
    file_name: str = "program_source",
    include_paths: Sequence[str | pathlib.Path] = (),
    defines: Mapping[str, str] | None = None,
    strict: bool = False,
) -> list[Finding]:
    """Checks a Metal text that is compiled at run time, so without includes.

    Args:
        text: the whole text.
        file_name: name that findings carry.
        include_paths: folders that are searched for quoted includes.
        defines: macros, name to value.
        strict: also the rules of this project: explicit conversions of bfloat
            both ways, and only names of Metal that are known to exist.

    Returns:
        Findings in the order of the text.

    Raises:
        RuntimeError: there is no compiler to check with.

    Example:
        >>> from flash_attn_mps.check_metal import check_text
        >>> str(check_text("kernel float f() { return 0; }")[0])
        'program_source:1: kernel `f` must return void; got float'
    """
    folders = [str(path) for path in include_paths]
    return _check((text, file_name), folders, defines, True, strict)


def check_file(
    path: str | pathlib.Path,
    *,
    include_paths: Sequence[str | pathlib.Path] = (),
    defines: Mapping[str, str] | None = None,
    strict: bool = False,
) -> list[Finding]:
    """Checks a Metal file; quoted includes are searched beside it first.

    Args:
        path: the file.
        include_paths: more folders that are searched for quoted includes.
        defines: macros, name to value.
        strict: as in `check_text`, and only ASCII in comments.

    Returns:
        Findings in the order of the files' names and lines.

    Raises:
        OSError: the file cannot be read.
        RuntimeError: there is no compiler to check with.
    """
    path = pathlib.Path(path)
    folders = [str(folder) for folder in (path.parent, *include_paths)]
    source = (path.read_text(encoding="utf-8"), str(path))
    return _check(source, folders, defines, False, strict)


def _check(
    source: tuple[str, str],
    include_paths: list[str],
    defines: Mapping[str, str] | None,
    is_run_time_text: bool,
    strict: bool,
) -> list[Finding]:
    if IS_MACOS:
        raise RuntimeError(
            "check-metal needs the simulated device, which is built on Linux only; "
            "on a Mac, compile the file with Apple's compiler."
        )
    configure_simulator()
    from flash_attn_mps._simulator import check_metal

    found = check_metal(
        source,
        include_paths,
        dict(defines or {}),
        is_run_time_text,
        known_names() if strict else [],
    )
    return [Finding(*finding) for finding in found]


def known_names() -> list[str]:
    """Names of Metal seen in public sources, and those allowed with a reason."""
    tables = ("metal_vocabulary.csv", "metal_vocabulary_allowed.csv")
    return [row["name"] for table in tables for row in read_table(table)]


def read_table(file_name: str) -> list[dict[str, str]]:
    """Rows of a table that lies in the package."""
    table = importlib.resources.files("flash_attn_mps") / file_name
    return list(csv.DictReader(table.read_text(encoding="ascii").splitlines()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command check-metal."""
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument(
        "-I",
        dest="include_paths",
        action="append",
        default=[],
        metavar="FOLDER",
        help="folder that is searched for quoted includes",
    )
    parser.add_argument(
        "-D",
        dest="defines",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="macro that is defined",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="also apply the rules of this project's own kernels",
    )


def run(options: argparse.Namespace) -> int:
    """Checks files and prints the findings; 1 if there are any."""
    defines = {
        name: value or "1"
        for name, _, value in (text.partition("=") for text in options.defines)
    }
    findings: list[Finding] = []
    for path in options.files:
        try:
            findings += check_file(
                path,
                include_paths=options.include_paths,
                defines=defines,
                strict=options.strict,
            )
        except (OSError, UnicodeDecodeError) as error:
            findings.append(Finding(path, 1, "file", f"cannot be read: {error}"))
    for finding in findings:
        print(finding)
    return 1 if findings else 0
