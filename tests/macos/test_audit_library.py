# SPDX-License-Identifier: MIT
"""Each rule of the macOS audit on the library fails on an input that breaks it."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from pathlib import Path

import lief
import pytest

from tests.macos.conftest import SOURCE, Build, LibraryRecipe
from tools.macos import audit_library, audit_symbols, audit_wheel, mach_o
from tools.macos.audit_wheel import LIBRARY_MEMBER, Wheel, library_findings

RIGHT = LibraryRecipe()


def calling(declaration: str, call: str) -> str:
    """Returns the right source and one more function that makes a call."""
    return f'{SOURCE}\n{declaration}\nextern "C" void more() {{ {call}; }}\n'


@dataclass(frozen=True)
class Defect:
    """A library that breaks one rule, and what the audit says of it."""

    name: str
    recipe: LibraryRecipe
    rule: str
    says: str


DEFECTS = [
    Defect(
        "libsystem_symbol_that_torch_does_not_import",
        # A function that macOS has since 14.4 only; zig's SDK knows it.
        LibraryRecipe(
            source=calling(
                'extern "C" int os_sync_wake_by_address_any(void*, long, unsigned);',
                "os_sync_wake_by_address_any(nullptr, 8, 0)",
            )
        ),
        "undefined symbols",
        "_os_sync_wake_by_address_any: taken from /usr/lib/libSystem.B.dylib, but",
    ),
    Defect(
        "libcxx_symbol_outside_the_stub",
        LibraryRecipe(
            source=calling("namespace std { void newer(); }", "std::newer()"),
            more_libcxx_symbols=("__ZSt5newerv",),
        ),
        "undefined symbols",
        "__ZSt5newerv: taken from /usr/lib/libc++.1.dylib, but torch's own",
    ),
    Defect(
        "function_of_newer_torch_linked",
        LibraryRecipe(
            source=calling(
                'extern "C" int torch_mps_set_arg_bytes();', "torch_mps_set_arg_bytes()"
            ),
            torch_symbols=("_aoti_torch_mps_malloc", "_torch_mps_set_arg_bytes"),
        ),
        "undefined symbols",
        "_torch_mps_set_arg_bytes: exported by torch 2.14.1, 2.15.0 only",
    ),
    Defect(
        "function_of_newer_torch_linked_weakly",
        LibraryRecipe(
            source=calling(
                'extern "C" int torch_mps_set_arg_bytes() '
                "__attribute__((weak_import));",
                "torch_mps_set_arg_bytes()",
            ),
            torch_symbols=("_aoti_torch_mps_malloc", "_torch_mps_set_arg_bytes"),
        ),
        "run-time look-up",
        "_torch_mps_set_arg_bytes: must be looked up at run time, but is linked",
    ),
    Defect(
        "function_that_no_release_exports",
        LibraryRecipe(
            source=calling('extern "C" int torch_no_such();', "torch_no_such()"),
            torch_symbols=("_aoti_torch_mps_malloc", "_torch_no_such"),
        ),
        "undefined symbols",
        "_torch_no_such: exported by no supported torch release",
    ),
    Defect(
        "mangled_cxx_name_of_torch",
        LibraryRecipe(
            source=calling("namespace c10 { void warn(); }", "c10::warn()"),
            torch_symbols=("_aoti_torch_mps_malloc", "__ZN3c104warnEv"),
        ),
        "undefined symbols",
        "__ZN3c104warnEv: a mangled C++ name of torch",
    ),
    Defect(
        "python_symbol",
        LibraryRecipe(
            source=calling('extern "C" int PyErr_Occurred();', "PyErr_Occurred()"),
            flags=("-Wl,-undefined,dynamic_lookup",),
        ),
        "undefined symbols",
        "_PyErr_Occurred: a symbol of Python",
    ),
    Defect(
        "symbol_of_no_named_library",
        LibraryRecipe(
            source=calling('extern "C" int anything();', "anything()"),
            flags=("-Wl,-undefined,dynamic_lookup",),
        ),
        "undefined symbols",
        "_anything: taken from ordinal",
    ),
    Defect(
        "nothing_looked_up",
        LibraryRecipe(source=SOURCE.replace("torch_mps_set_arg_bytes", "another")),
        "run-time look-up",
        "_torch_mps_set_arg_bytes: nothing in the library looks it up",
    ),
    Defect(
        "newer_minimum_macos",
        LibraryRecipe(target="aarch64-macos.15.0"),
        "load commands",
        "minimum macOS must be (14, 0); got (15, 0)",
    ),
    Defect(
        "other_architecture",
        LibraryRecipe(target="x86_64-macos.14.0"),
        "load commands",
        "architecture must be arm64; got x86_64",
    ),
    Defect(
        "absolute_install_name",
        LibraryRecipe(install_name="/usr/local/lib/_operators.dylib"),
        "load commands",
        "install name must be @rpath/_operators.dylib; got /usr/local/lib/",
    ),
    Defect(
        "no_rpath",
        LibraryRecipe(rpaths=()),
        "load commands",
        "rpath must be @loader_path/../torch/lib alone; got ()",
    ),
    Defect(
        "absolute_rpath",
        LibraryRecipe(rpaths=("/opt/torch/lib",)),
        "load commands",
        "rpath must be @loader_path/../torch/lib alone; got ('/opt/torch/lib',)",
    ),
    Defect(
        "another_library",
        LibraryRecipe(
            source=calling('extern "C" int omp();', "omp()"),
            other_library=("/opt/lib/libomp.dylib", "_omp"),
        ),
        "load commands",
        "/opt/lib/libomp.dylib: a library that the package must not load",
    ),
    Defect(
        "build_path_in_a_string",
        LibraryRecipe(
            source=f'{SOURCE}\nextern "C" const char* file() '
            '{ return "/home/builder/project/file.cpp"; }'
        ),
        "build paths",
        "/home/builder/project/file.cpp: an absolute path",
    ),
]


def findings_on(content: bytes) -> dict[str, list[str]]:
    """Returns what the audit says of a library."""
    return library_findings(Wheel(Path("some.whl"), {LIBRARY_MEMBER: content}))


@pytest.fixture
def right_library(build_library: Build) -> bytes:
    """A library that breaks no rule."""
    return build_library(RIGHT)


def test_right_library_passes_every_rule(right_library: bytes) -> None:
    findings = findings_on(right_library)
    assert set(findings) == {
        "undefined symbols",
        "run-time look-up",
        "load commands",
        "signature",
        "build paths",
    }
    assert not any(findings.values()), findings
    (library,) = mach_o.read_library(right_library)
    known = audit_symbols.read_known_symbols()
    assert len(audit_symbols.satisfied_releases(library, known)) == 6


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_defect_is_named(defect: Defect, build_library: Build) -> None:
    findings = findings_on(build_library(defect.recipe))
    assert any(defect.says in sentence for sentence in findings[defect.rule]), findings


def test_symbol_outside_the_stub_does_not_link(build_library: Build) -> None:
    source = calling("namespace std { void newer(); }", "std::newer()")
    with pytest.raises(RuntimeError, match="undefined symbol: __ZSt5newerv"):
        build_library(replace(RIGHT, source=source))


def test_missing_signature_is_named(right_library: bytes, tmp_path: Path) -> None:
    binaries = lief.MachO.parse(right_library)
    assert binaries is not None
    binary = binaries.at(0)
    assert binary is not None
    assert binary.remove_signature()
    binaries.write(str(tmp_path / "unsigned.dylib"))
    findings = findings_on((tmp_path / "unsigned.dylib").read_bytes())
    assert findings["signature"] == [
        "an ad-hoc signature is required; the library is not signed"
    ]


def test_changed_content_breaks_the_signature(right_library: bytes) -> None:
    position = right_library.index(b"torch_mps_set_arg_bytes")
    changed = bytearray(right_library)
    changed[position] ^= 1
    assert findings_on(bytes(changed))["signature"] == [
        "the signature's hashes are not those of the file"
    ]


def test_signature_with_certificate_is_named(right_library: bytes) -> None:
    (library,) = mach_o.read_library(right_library)
    assert library.signature is not None
    flags = library.signature.flags & ~0x2
    signed = replace(library, signature=replace(library.signature, flags=flags))
    assert audit_library.signature_findings(signed, right_library) == [
        "the signature must be ad hoc; it names a certificate"
    ]


def test_second_architecture_is_named(build_library: Build) -> None:
    arm64 = build_library(RIGHT)
    x86_64 = build_library(replace(RIGHT, target="x86_64-macos.14.0"))
    # <mach-o/fat.h>: magic and count; processor, its kind, offset, size, alignment.
    starts = (1 << 14, (2 << 14) + len(arm64))
    header = struct.pack(">II", 0xCAFEBABE, 2)
    header += struct.pack(">5I", 0x0100000C, 0, starts[0], len(arm64), 14)
    header += struct.pack(">5I", 0x01000007, 3, starts[1], len(x86_64), 14)
    fat = header.ljust(starts[0], b"\0") + arm64
    fat = fat.ljust(starts[1], b"\0") + x86_64
    assert findings_on(fat) == {"library": ["one architecture is required; got 2"]}


def test_file_of_another_format_is_named() -> None:
    findings = findings_on(b"\x7fELF" + bytes(60))
    assert findings == {"library": [f"{LIBRARY_MEMBER}: not a Mach-O file"]}


def test_missing_library_is_named() -> None:
    findings = audit_wheel.library_findings(Wheel(Path("some.whl"), {}))
    assert findings == {"library": [f"{LIBRARY_MEMBER} is missing"]}
