# SPDX-License-Identifier: MIT
"""Runs clang-tidy over every C++ file that the host compiler compiles.

A file that passed is not read again until it, a header of ours that it
includes, its command or a .clang-tidy changes: those make up its fingerprint.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ninja

import setup
from tools.source_files import repository_files

PASSED = setup.ROOT / "build" / "clang_tidy"
CLANG_TIDY = str(Path(sys.executable).parent / "clang-tidy")


@dataclass(frozen=True)
class Build:
    """One Ninja build and the compile database that was written from it."""

    database: Path
    ninja_file: Path


BUILDS = (
    Build(setup.ROOT / "build/compile_commands.json", setup.BUILD_DIR / "build.ninja"),
    Build(
        setup.ROOT / "build/cpp_tests/objects/compile_commands.json",
        setup.ROOT / "build/cpp_tests/objects/build.ninja",
    ),
)


@dataclass(frozen=True)
class Unit:
    """One translation unit, and what its verdict depends on."""

    source: Path
    database: Path
    fingerprint: str

    @property
    def stamp(self) -> Path:
        """Exists, with this content, if the unit passed as it is now."""
        return PASSED / f"{self.source.relative_to(setup.ROOT).as_posix()}.passed"

    def passed_before(self) -> bool:
        """Whether exactly this unit passed already."""
        return self.stamp.exists() and self.stamp.read_text() == self.fingerprint


def recorded_dependencies(build: Build) -> dict[str, list[str]]:
    """Headers of every object, from Ninja's own record."""
    program = str(Path(ninja.BIN_DIR) / "ninja")
    listing = subprocess.run(
        [program, "-f", str(build.ninja_file), "-t", "deps"],
        cwd=setup.ROOT,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout
    dependencies: dict[str, list[str]] = {}
    for block in listing.split("\n\n"):
        first, *names = block.strip().split("\n")
        dependencies[first.split(":")[0]] = [name.strip() for name in names]
    return dependencies


@cache
def settings_files() -> list[Path]:
    """Every .clang-tidy of the repository."""
    return [file for file in repository_files() if file.name == ".clang-tidy"]


@cache
def content_digest(path: Path) -> bytes:
    """Digest of one file's content."""
    return hashlib.sha256(path.read_bytes()).digest()


def fingerprint(command: str, dependencies: list[str]) -> str:
    """Digest of the command, the settings and every file of ours."""
    digest = hashlib.sha256(command.encode())
    settings = [setup.ROOT / file for file in settings_files()]
    ours = [Path(name) for name in dependencies if name.startswith(str(setup.ROOT))]
    for path in sorted(ours) + settings:
        digest.update(content_digest(path))
    return digest.hexdigest()


def units() -> list[Unit]:
    """Every source of ours in the compile databases; generated ones are not."""
    found = []
    for build in BUILDS:
        dependencies = recorded_dependencies(build)
        for entry in json.loads(build.database.read_text()):
            source = Path(entry["file"])
            if source.suffix != ".cpp" or source.is_relative_to(setup.ROOT / "build"):
                continue
            known = dependencies.get(entry["output"], [str(source)])
            mark = fingerprint(entry["command"], known)
            found.append(Unit(source, build.database.parent, mark))
    return found


def check(unit: Unit) -> bool:
    """Runs clang-tidy on one unit, prints what it says, remembers a pass."""
    result = subprocess.run(
        [CLANG_TIDY, "--quiet", "-p", str(unit.database), str(unit.source)],
        cwd=setup.ROOT,
        capture_output=True,
        text=True,
    )
    if result.returncode != 0:
        # Standard error counts suppressed warnings; it matters where nothing else
        # explains the failure, for example a killed process.
        reason = f"{unit.source}: clang-tidy ended with {result.returncode}"
        print(result.stdout or f"{reason}\n{result.stderr}", flush=True)
        return False
    setup.write_if_changed(unit.stamp, unit.fingerprint)
    return True


def main() -> int:
    """Checks every unit that is new; returns 1 if one has findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("only", nargs="*", help="parts of paths; default: all files")
    arguments = parser.parse_args()
    selected = [
        unit
        for unit in units()
        if not arguments.only
        or any(part in str(unit.source) for part in arguments.only)
    ]
    fresh = [unit for unit in selected if not unit.passed_before()]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = list(pool.map(check, fresh))
    print(
        f"clang-tidy: {len(selected)} files, {len(fresh)} checked, "
        f"{verdicts.count(False)} with findings"
    )
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
