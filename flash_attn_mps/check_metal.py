# SPDX-License-Identifier: MIT
"""The dialect check: what Apple's compiler would refuse in a Metal text.

`python -m flash_attn_mps check-metal FILE...` and the same check on texts. The
rules are C++ (csrc/simulator/dialect); this file reads arguments and tables.
"""

from __future__ import annotations

import argparse
import csv
import importlib.resources
import pathlib
import sys
from collections.abc import Mapping, Sequence

from flash_attn_mps import _simulator
from flash_attn_mps._simulator import Finding


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
        strict: also the rules of this project: ASCII comments, explicit
            conversions of bfloat both ways, only names known to exist.

    Returns:
        Findings with `.file`, `.line`, `.rule` and `.sentence`, in the order of
        the text; `str(finding)` is `file:line: sentence`.

    Example:
        >>> check_text("kernel float f() { return 0; }")[0].rule
        'kernel-return-type'
    """
    return list(
        _simulator.check_metal(
            text,
            file_name,
            [str(path) for path in include_paths],
            dict(defines or {}),
            True,
            known_names() if strict else [],
        )
    )


def check_file(
    path: str | pathlib.Path,
    *,
    include_paths: Sequence[str | pathlib.Path] = (),
    defines: Mapping[str, str] | None = None,
    strict: bool = False,
) -> list[Finding]:
    """Checks a Metal file; quoted includes are searched beside it first.

    The arguments are those of `check_text`. A file that cannot be read raises
    OSError.
    """
    path = pathlib.Path(path)
    return list(
        _simulator.check_metal(
            path.read_text(encoding="utf-8"),
            str(path),
            [str(folder) for folder in (path.parent, *include_paths)],
            dict(defines or {}),
            False,
            known_names() if strict else [],
        )
    )


def known_names() -> list[str]:
    """Names of Metal seen in public sources, and those allowed with a reason."""
    names = [row["name"] for row in read_table("metal_vocabulary.csv")]
    return names + [row["name"] for row in read_table("metal_vocabulary_allowed.csv")]


def read_table(file_name: str) -> list[dict[str, str]]:
    """Rows of a table that lies in the package."""
    table = importlib.resources.files("flash_attn_mps") / file_name
    return list(csv.DictReader(table.read_text(encoding="ascii").splitlines()))


def add_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `check-metal` to the commands of `python -m flash_attn_mps`."""
    parser = commands.add_parser(
        "check-metal",
        help="name what Apple's compiler would refuse in Metal files",
        description=(
            "Prints `file:line: sentence` for everything that Apple's compiler "
            "would refuse, and exits with 1 if there is anything."
        ),
    )
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
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Checks the files of a parsed command line and prints the findings."""
    defines = {
        name: value or "1"
        for name, _, value in (text.partition("=") for text in arguments.defines)
    }
    findings: list[Finding] = []
    for path in arguments.files:
        try:
            findings += check_file(
                path,
                include_paths=arguments.include_paths,
                defines=defines,
                strict=arguments.strict,
            )
        except (OSError, UnicodeDecodeError) as error:
            print(f"{path}:1: cannot be read: {error}")
            return 1
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command alone: the arguments are those behind `check-metal`."""
    parser = argparse.ArgumentParser(prog="python -m flash_attn_mps")
    add_command(parser.add_subparsers(required=True))
    words = list(sys.argv[1:] if arguments is None else arguments)
    parsed = parser.parse_args(["check-metal", *words])
    return run_command(parsed)
