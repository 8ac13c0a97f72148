# SPDX-License-Identifier: MIT
"""Judges what a macOS library takes from other libraries.

Compares undefined symbols with the committed lists of what every supported
torch release exports and of what torch itself needs from the system; does not
look at load commands.
"""

from __future__ import annotations

from dataclasses import dataclass

from tools.macos import torch_wheels
from tools.macos.mach_o import MachOLibrary, UndefinedSymbol
from tools.macos.write_symbol_lists import (
    LIBCXX,
    LIBSYSTEM,
    read_list,
    system_list_file,
    torch_list_file,
)

TORCH_INSTALL_NAMES = ("@rpath/libtorch_cpu.dylib", "@rpath/libc10.dylib")
PYTHON_PREFIXES = ("_Py", "__Py")
CXX_PREFIX = "__Z"
# Newer functions that the package uses where the running torch has them.
LOOKED_UP_AT_RUN_TIME = (
    "_torch_mps_set_arg_bytes",
    "_torch_exception_get_what_without_backtrace",
)


@dataclass(frozen=True)
class KnownSymbols:
    """The committed lists: torch by release, and each system library."""

    torch: dict[str, frozenset[str]]
    system: dict[str, frozenset[str]]

    def releases_with(self, name: str) -> list[str]:
        """Returns the torch releases that export a C function."""
        return [release for release, names in self.torch.items() if name in names]


def read_known_symbols() -> KnownSymbols:
    """Reads the lists of the repository."""
    torch = {
        release: read_list(torch_list_file(release))
        for release in torch_wheels.RELEASES
    }
    system = {
        library: read_list(system_list_file(library)) for library in (LIBSYSTEM, LIBCXX)
    }
    return KnownSymbols(torch, system)


def symbol_findings(library: MachOLibrary, known: KnownSymbols) -> list[str]:
    """Returns a sentence for every undefined symbol that is not allowed."""
    judged = (_judge(symbol, known) for symbol in library.undefined)
    return [finding for finding in judged if finding is not None]


def _judge(symbol: UndefinedSymbol, known: KnownSymbols) -> str | None:
    name = symbol.name
    if name.startswith(PYTHON_PREFIXES):
        return f"{name}: a symbol of Python; the library must use none"
    if symbol.library in known.system:
        if name in known.system[symbol.library]:
            return None
        return (
            f"{name}: taken from {symbol.library}, but torch's own libraries do not "
            f"import it (or only weakly), so macOS 14 may lack it"
        )
    if symbol.library in TORCH_INSTALL_NAMES:
        return _judge_torch(name, known)
    return f"{name}: taken from {symbol.library}, which is not allowed"


def _judge_torch(name: str, known: KnownSymbols) -> str | None:
    if name.startswith(CXX_PREFIX):
        return f"{name}: a mangled C++ name of torch; only its C functions are stable"
    having = known.releases_with(name)
    if len(having) == len(known.torch):
        return None
    if not having:
        return f"{name}: exported by no supported torch release"
    return f"{name}: exported by torch {', '.join(having)} only; look it up at run time"


def lookup_findings(library: MachOLibrary, content: bytes) -> list[str]:
    """Returns a sentence for every newer function that is not looked up."""
    undefined = {symbol.name for symbol in library.undefined}
    findings = []
    for name in LOOKED_UP_AT_RUN_TIME:
        if name in undefined:
            findings.append(f"{name}: must be looked up at run time, but is linked")
        # The name that dlsym takes has no leading underscore.
        elif name.removeprefix("_").encode() + b"\0" not in content:
            findings.append(f"{name}: nothing in the library looks it up")
    return findings


def satisfied_releases(library: MachOLibrary, known: KnownSymbols) -> list[str]:
    """Returns the torch releases that export all that the library takes."""
    wanted = {
        symbol.name
        for symbol in library.undefined
        if symbol.library in TORCH_INSTALL_NAMES
    }
    return [release for release, names in known.torch.items() if wanted <= names]
