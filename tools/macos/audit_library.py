# SPDX-License-Identifier: MIT
"""Judges the load commands, signature and content of the macOS library.

Undefined symbols are judged elsewhere.
"""

from __future__ import annotations

import re

from tools.macos.audit_symbols import TORCH_INSTALL_NAMES
from tools.macos.code_signature import pages_match
from tools.macos.mach_o import MachOLibrary
from tools.macos.write_symbol_lists import LIBCXX, LIBSYSTEM

LIBRARY_NAME = "_operators.dylib"
INSTALL_NAME = f"@rpath/{LIBRARY_NAME}"
MINIMUM_MACOS = (14, 0)
# From site-packages/flash_attn_mps to the torch that lies next to it.
TORCH_RPATH = "@loader_path/../torch/lib"
ALLOWED_DEPENDENCIES = frozenset({LIBSYSTEM, LIBCXX, *TORCH_INSTALL_NAMES})
# A path of two or more parts that starts at the root and no word before it.
ABSOLUTE_PATH = re.compile(rb"(?<![\w.@/)-])/[\w.+-]+(?:/[\w.+-]+)+")
SYSTEM_FOLDERS = (b"/usr/lib/", b"/System/Library/")


def load_command_findings(library: MachOLibrary) -> list[str]:
    """Returns a sentence for every load command that is not as it must be."""
    findings = []
    if library.architecture != "arm64":
        findings.append(f"architecture must be arm64; got {library.architecture}")
    if library.minimum_macos != MINIMUM_MACOS:
        findings.append(
            f"minimum macOS must be {MINIMUM_MACOS}; got {library.minimum_macos}"
        )
    if library.install_name != INSTALL_NAME:
        findings.append(
            f"install name must be {INSTALL_NAME}; got {library.install_name}"
        )
    if library.rpaths != (TORCH_RPATH,):
        findings.append(f"rpath must be {TORCH_RPATH} alone; got {library.rpaths}")
    findings += [
        f"{dependency}: a library that the package must not load"
        for dependency in library.dependencies
        if dependency not in ALLOWED_DEPENDENCIES
    ]
    return findings


def signature_findings(library: MachOLibrary, content: bytes) -> list[str]:
    """Returns a sentence if the signature is not a valid ad-hoc one."""
    if library.signature is None:
        return ["an ad-hoc signature is required; the library is not signed"]
    if not library.signature.is_adhoc:
        return ["the signature must be ad hoc; it names a certificate"]
    if not pages_match(library.signature, content):
        return ["the signature's hashes are not those of the file"]
    return []


def build_path_findings(content: bytes) -> list[str]:
    """Returns a sentence for every absolute path of the building machine."""
    paths = {
        match.group().decode()
        for match in ABSOLUTE_PATH.finditer(content)
        if not match.group().startswith(SYSTEM_FOLDERS)
    }
    return [f"{path}: an absolute path in the library" for path in sorted(paths)]
