# SPDX-License-Identifier: MIT
"""What the package wants to know of a Mach-O library, read with LIEF.

Turns a file into plain values; judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lief

from tools.macos.code_signature import CodeDirectory, read_code_directory

# LIEF reports oddities of tables that nothing here reads; what matters is
# judged by the caller, from the values.
lief.logging.disable()

# Symbol table fields, from <mach-o/nlist.h>.
N_STAB, N_TYPE, N_EXT, N_PEXT = 0xE0, 0x0E, 0x01, 0x10
N_UNDF, N_SECT = 0x0, 0xE
N_WEAK_REF = 0x40

LOAD_COMMANDS = lief.MachO.LoadCommand.TYPE
DEPENDENCY_COMMANDS = (
    LOAD_COMMANDS.LOAD_DYLIB,
    LOAD_COMMANDS.LOAD_WEAK_DYLIB,
    LOAD_COMMANDS.REEXPORT_DYLIB,
    LOAD_COMMANDS.LOAD_UPWARD_DYLIB,
    LOAD_COMMANDS.LAZY_LOAD_DYLIB,
)


class NotMachOError(ValueError):
    """The content is no Mach-O library."""


@dataclass(frozen=True)
class UndefinedSymbol:
    """A symbol that the library takes from another one."""

    name: str
    library: str
    is_weak: bool


@dataclass(frozen=True)
class MachOLibrary:
    """One library of one architecture."""

    architecture: str
    minimum_macos: tuple[int, int] | None
    install_name: str | None
    dependencies: tuple[str, ...]
    rpaths: tuple[str, ...]
    undefined: tuple[UndefinedSymbol, ...]
    exported_functions: frozenset[str]
    signature: CodeDirectory | None


def read_library(content: bytes) -> list[MachOLibrary]:
    """Returns the library, one value for each architecture of the file."""
    binaries = lief.MachO.parse(content, lief.MachO.ParserConfig.quick)
    if binaries is None:
        raise NotMachOError("not a Mach-O file")
    return [_describe(binary) for binary in binaries]


def read_library_file(path: Path) -> list[MachOLibrary]:
    """Returns the libraries in a file on disk."""
    return read_library(path.read_bytes())


def _describe(binary: lief.MachO.Binary) -> MachOLibrary:
    dependencies = tuple(
        library.name
        for library in binary.libraries
        if library.command in DEPENDENCY_COMMANDS
    )
    install_names = [
        library.name
        for library in binary.libraries
        if library.command == LOAD_COMMANDS.ID_DYLIB
    ]
    return MachOLibrary(
        architecture=_architecture(binary),
        minimum_macos=_minimum_macos(binary),
        install_name=install_names[0] if install_names else None,
        dependencies=dependencies,
        rpaths=tuple(command.path for command in binary.rpaths),
        undefined=tuple(_undefined_symbols(binary, dependencies)),
        exported_functions=frozenset(_exported_functions(binary)),
        signature=_signature(binary),
    )


def _architecture(binary: lief.MachO.Binary) -> str:
    return str(binary.header.cpu_type).rsplit(".", maxsplit=1)[-1].lower()


def _minimum_macos(binary: lief.MachO.Binary) -> tuple[int, int] | None:
    if binary.build_version is not None:
        version = binary.build_version.minos
    elif binary.version_min is not None:
        version = binary.version_min.version
    else:
        return None
    return version[0], version[1]


def _undefined_symbols(
    binary: lief.MachO.Binary, dependencies: tuple[str, ...]
) -> Iterator[UndefinedSymbol]:
    for symbol in binary.symbols:
        kind = symbol.raw_type
        if kind & N_STAB or not kind & N_EXT or kind & N_TYPE != N_UNDF:
            continue
        ordinal = symbol.library_ordinal
        is_named = 0 < ordinal <= len(dependencies)
        library = dependencies[ordinal - 1] if is_named else f"ordinal {ordinal}"
        is_weak = bool(symbol.description & N_WEAK_REF)
        yield UndefinedSymbol(str(symbol.name), library, is_weak)


def _exported_functions(binary: lief.MachO.Binary) -> Iterator[str]:
    text_sections = {
        index
        for index, section in enumerate(binary.sections, start=1)
        if section.segment_name == "__TEXT" and section.name == "__text"
    }
    for symbol in binary.symbols:
        kind = symbol.raw_type
        is_exported = kind & N_EXT and not kind & (N_STAB | N_PEXT)
        if not is_exported or kind & N_TYPE != N_SECT:
            continue
        if symbol.numberof_sections in text_sections:
            yield str(symbol.name)


def _signature(binary: lief.MachO.Binary) -> CodeDirectory | None:
    if binary.code_signature is None:
        return None
    return read_code_directory(bytes(binary.code_signature.content))
