# SPDX-License-Identifier: MIT
"""Each rule of the macOS audit on the wheel fails on an input that breaks it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.macos.conftest import Build, LibraryRecipe, WheelRecipe
from tools.macos import audit_wheel
from tools.macos.audit_wheel import content_findings, metadata_findings, read_wheel

Write = Callable[[WheelRecipe], Path]


@dataclass(frozen=True)
class Defect:
    """What a wheel does differently, and what the audit says of it."""

    name: str
    changes: dict[str, Any]
    says: str


CONTENT_DEFECTS = [
    Defect(
        "no_library", {"without": ("_operators.dylib",)}, "_operators.dylib: missing"
    ),
    Defect("no_python_file", {"without": ("__init__.py",)}, "__init__.py: missing"),
    Defect("no_type_stub", {"without": ("module.pyi",)}, "module.pyi: missing"),
    Defect("not_typed", {"without": ("py.typed",)}, "py.typed: missing"),
    Defect("no_licence", {"without": ("LICENSE",)}, "LICENSE: missing"),
    Defect(
        "simulator_module",
        {"added": {"flash_attn_mps/simulator.py": b""}},
        "flash_attn_mps/simulator.py: of the simulator, must not be",
    ),
    Defect(
        "stray_file",
        {"added": {"flash_attn_mps/notes.txt": b""}},
        "flash_attn_mps/notes.txt: not of the package",
    ),
    Defect(
        "simulator_in_the_library",
        {"library": b"__ZN14flash_attn_mps9simulator3runEv"},
        "_operators.dylib: contains the simulator",
    ),
]
METADATA_DEFECTS = [
    Defect("older_torch", {"requirement": "torch>=2.9"}, "must ask for torch>=2.10"),
    Defect(
        "other_tag", {"tag": "cp311-cp311-macosx_14_0_arm64"}, "the tag must be py3"
    ),
    Defect(
        "other_file_name",
        {"file_name": "flash_attn_mps-0.1.0-py3-none-macosx_15_0_arm64.whl"},
        "the file name must end in",
    ),
    Defect("too_large", {"library": bytes(1_000_001)}, "at most 1000000 bytes"),
]


@pytest.mark.parametrize("defect", CONTENT_DEFECTS, ids=lambda defect: defect.name)
def test_content_defect_is_named(
    defect: Defect, write_wheel: Write, package_folder: Path
) -> None:
    wheel = read_wheel(write_wheel(WheelRecipe(**{"library": b"", **defect.changes})))
    findings = content_findings(wheel, package_folder)
    assert len(findings) == 1
    assert defect.says in findings[0]


@pytest.mark.parametrize("defect", METADATA_DEFECTS, ids=lambda defect: defect.name)
def test_metadata_defect_is_named(defect: Defect, write_wheel: Write) -> None:
    wheel = read_wheel(write_wheel(WheelRecipe(**{"library": b"", **defect.changes})))
    findings = metadata_findings(wheel)
    assert len(findings) == 1
    assert defect.says in findings[0]


def test_wheel_for_newer_macos_does_not_install(write_wheel: Write) -> None:
    tag = "py3-none-macosx_15_0_arm64"
    name = f"flash_attn_mps-0.1.0-{tag}.whl"
    recipe = WheelRecipe(library=b"", file_name=name, tag=tag)
    (finding,) = audit_wheel.install_findings(read_wheel(write_wheel(recipe)))
    assert "pip install failed" in finding
    assert "not a supported wheel" in finding


def test_right_wheel_passes_and_summary_names_six_releases(
    build_library: Build,
    write_wheel: Write,
    package_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write_wheel(WheelRecipe(library=build_library(LibraryRecipe())))
    monkeypatch.setattr(audit_wheel, "PACKAGE_FOLDER", package_folder)
    monkeypatch.setattr(sys, "argv", ["audit_wheel", str(path)])
    audit_wheel.main()
    output = capsys.readouterr().out
    assert output.count("passed: ") == 8
    assert "2.10.0, 2.11.0, 2.12.0, 2.13.0, 2.14.1, 2.15.0" in output


def test_wrong_wheel_ends_the_command_with_one(
    write_wheel: Write,
    package_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write_wheel(WheelRecipe(library=b"no library"))
    monkeypatch.setattr(audit_wheel, "PACKAGE_FOLDER", package_folder)
    monkeypatch.setattr(sys, "argv", ["audit_wheel", str(path)])
    with pytest.raises(SystemExit) as ended:
        audit_wheel.main()
    assert ended.value.code == 1
    assert "FAILED: library" in capsys.readouterr().out
