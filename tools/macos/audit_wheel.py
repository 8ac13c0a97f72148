# SPDX-License-Identifier: MIT
"""Audits the macOS wheel on any machine and fails naming what is wrong.

Runs every rule on the wheel's library, files and metadata, and installs it with
pip into a scratch folder as a Mac would. Nothing of it is executed.
"""

from __future__ import annotations

import argparse
import email
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

from tools.macos import audit_library, audit_symbols, mach_o

PACKAGE_FOLDER = Path(__file__).resolve().parents[2] / "flash_attn_mps"
LIBRARY_MEMBER = f"flash_attn_mps/{audit_library.LIBRARY_NAME}"
WHEEL_TAG = "py3-none-macosx_14_0_arm64"
PIP_PLATFORM = "macosx_14_0_arm64"
MAXIMUM_WHEEL_BYTES = 1_000_000
# Words in the names of files that only the simulator uses.
SIMULATOR_FILES = ("simulator", "_source_lines", "metal_vocabulary")


@dataclass(frozen=True)
class Wheel:
    """A wheel's path and the content of its members by name."""

    path: Path
    members: dict[str, bytes]

    def metadata(self, file_name: str) -> Message:
        """Returns a file of the .dist-info folder; an empty one if missing."""
        for name, content in self.members.items():
            if name.endswith(f".dist-info/{file_name}"):
                return email.message_from_bytes(content)
        return Message()


def read_wheel(path: Path) -> Wheel:
    """Reads all of a wheel."""
    with zipfile.ZipFile(path) as archive:
        return Wheel(path, {name: archive.read(name) for name in archive.namelist()})


def library_findings(wheel: Wheel) -> dict[str, list[str]]:
    """Returns the findings on the library, by rule."""
    content = wheel.members.get(LIBRARY_MEMBER)
    if content is None:
        return {"library": [f"{LIBRARY_MEMBER} is missing"]}
    try:
        libraries = mach_o.read_library(content)
    except mach_o.NotMachOError as error:
        return {"library": [f"{LIBRARY_MEMBER}: {error}"]}
    if len(libraries) != 1:
        return {"library": [f"one architecture is required; got {len(libraries)}"]}
    (library,) = libraries
    known = audit_symbols.read_known_symbols()
    return {
        "undefined symbols": audit_symbols.symbol_findings(library, known),
        "run-time look-up": audit_symbols.lookup_findings(library, content),
        "load commands": audit_library.load_command_findings(library),
        "signature": audit_library.signature_findings(library, content),
        "build paths": audit_library.build_path_findings(content),
    }


def is_of_simulator(name: str) -> bool:
    """Says whether a file's name is one of the simulator's."""
    return any(word in name for word in SIMULATOR_FILES)


def expected_package_files(folder: Path) -> set[str]:
    """Returns the Python files and type stubs that a Mac needs."""
    return {
        f"{folder.name}/{path.relative_to(folder).as_posix()}"
        for path in folder.rglob("*")
        if path.suffix in (".py", ".pyi") or path.name == "py.typed"
        if not is_of_simulator(path.relative_to(folder).as_posix())
    }


def content_findings(wheel: Wheel, package_folder: Path) -> list[str]:
    """Returns a sentence for every member that is missing or too much."""
    expected = expected_package_files(package_folder) | {LIBRARY_MEMBER}
    present = {name for name in wheel.members if ".dist-info/" not in name}
    findings = [f"{name}: missing in the wheel" for name in sorted(expected - present)]
    for name in sorted(present - expected):
        what = "of the simulator" if is_of_simulator(name) else "not of the package"
        findings.append(f"{name}: {what}, must not be in the wheel")
    if not any(name.endswith("/licenses/LICENSE") for name in wheel.members):
        findings.append("LICENSE: missing in the wheel")
    library = wheel.members.get(LIBRARY_MEMBER, b"")
    if b"flash_attn_mps9simulator" in library:  # the namespace, as C++ mangles it
        findings.append(f"{LIBRARY_MEMBER}: contains the simulator")
    return findings


def metadata_findings(wheel: Wheel) -> list[str]:
    """Returns a sentence for every fault of the tags, metadata and size."""
    findings = []
    if not wheel.path.name.endswith(f"-{WHEEL_TAG}.whl"):
        findings.append(f"the file name must end in {WHEEL_TAG}")
    tags = wheel.metadata("WHEEL").get_all("Tag", [])
    if tags != [WHEEL_TAG]:
        findings.append(f"the tag must be {WHEEL_TAG}; got {tags}")
    requirements = wheel.metadata("METADATA").get_all("Requires-Dist", [])
    if "torch>=2.10" not in requirements:
        findings.append(f"metadata must ask for torch>=2.10; got {requirements}")
    size = wheel.path.stat().st_size
    if size > MAXIMUM_WHEEL_BYTES:
        findings.append(f"at most {MAXIMUM_WHEEL_BYTES} bytes are allowed; got {size}")
    return findings


def install_findings(wheel: Wheel) -> list[str]:
    """Returns a sentence if pip does not install the wheel as for a Mac."""
    with tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        command += ["--no-index", "--only-binary=:all:", "--no-compile"]
        command += ["--platform", PIP_PLATFORM, "--target", target, str(wheel.path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            return [f"pip install failed: {result.stderr.strip()}"]
        if not (Path(target) / LIBRARY_MEMBER).is_file():
            return [f"pip install left no {LIBRARY_MEMBER}"]
    return []


def audit(path: Path, package_folder: Path) -> dict[str, list[str]]:
    """Returns the findings on a wheel, by rule; empty lists are passes."""
    wheel = read_wheel(path)
    wheel_rules: dict[str, Callable[[], list[str]]] = {
        "content": lambda: content_findings(wheel, package_folder),
        "metadata": lambda: metadata_findings(wheel),
        "pip install": lambda: install_findings(wheel),
    }
    findings = library_findings(wheel)
    return findings | {rule: judge() for rule, judge in wheel_rules.items()}


def print_summary(path: Path) -> None:
    """Prints the figures of a wheel that passed."""
    (library,) = mach_o.read_library(read_wheel(path).members[LIBRARY_MEMBER])
    known = audit_symbols.read_known_symbols()
    releases = audit_symbols.satisfied_releases(library, known)
    print(f"size: {path.stat().st_size} bytes")
    print(f"undefined symbols: {len(library.undefined)}")
    print(f"torch releases whose exports satisfy the library: {', '.join(releases)}")


def main() -> None:
    """Prints the findings rule by rule and exits with 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    path = parser.parse_args().wheel
    findings = audit(path, PACKAGE_FOLDER)
    for rule, sentences in findings.items():
        print(f"{'FAILED' if sentences else 'passed'}: {rule}")
        for sentence in sentences:
            print(f"  {sentence}")
    if any(findings.values()):
        raise SystemExit(1)
    print_summary(path)


if __name__ == "__main__":
    main()
