# SPDX-License-Identifier: MIT
"""Writes the symbol lists that the macOS build and its audit rest on.

Reads the real macOS wheels of the supported torch releases and nothing else:
the lists say what is in those files, not what a header promises. Run it as
`python -m tools.macos.write_symbol_lists` (downloads about 600 MB).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from tools.macos import mach_o, torch_wheels

SYMBOLS = Path(__file__).parent / "symbols"
LIBCXX = "/usr/lib/libc++.1.dylib"
LIBSYSTEM = "/usr/lib/libSystem.B.dylib"
LIBCXX_STUB = SYMBOLS / "libc++.1.tbd"
MADE_BY = "Made by: python -m tools.macos.write_symbol_lists"
# Torch's own C interfaces; the wheel also exports bundled third-party ones.
TORCH_C_PREFIXES = ("_aoti_torch_", "_torch_")
TARGET_MACOS = (14, 0)


def torch_list_file(release: str) -> Path:
    """Returns the file that lists the C functions of one torch release."""
    return SYMBOLS / f"torch-{release}.txt"


def system_list_file(library: str) -> Path:
    """Returns the file that lists what torch imports of a system library."""
    return SYMBOLS / f"{Path(library).name.split('.')[0]}.txt"


def read_list(path: Path) -> frozenset[str]:
    """Returns the names in a list file."""
    lines = path.read_text(encoding="ascii").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def write_list(path: Path, what: str, names: Iterable[str]) -> None:
    """Writes a list file: what it holds, how it was made, the sorted names."""
    lines = [f"# {what}", f"# {MADE_BY}", *sorted(set(names))]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def stub_text(names: Iterable[str]) -> str:
    """Returns a text-based library stub (version 4) of the system's libc++."""
    quoted = ",\n      ".join(f"'{name}'" for name in sorted(set(names)))
    return (
        "--- !tapi-tbd\n"
        f"# {MADE_BY}\n"
        "tbd-version:     4\n"
        "targets:         [ arm64-macos ]\n"
        f"install-name:    '{LIBCXX}'\n"
        "current-version: 1\n"
        "exports:\n"
        "  - targets:         [ arm64-macos ]\n"
        f"    symbols: [\n      {quoted}\n    ]\n"
        "...\n"
    )


def torch_libraries(wheel: Path) -> list[mach_o.MachOLibrary]:
    """Returns torch's own libraries of a wheel, all for arm64."""
    members = torch_wheels.read_members(wheel, torch_wheels.TORCH_LIBRARIES)
    libraries = []
    for name, content in members.items():
        (library,) = mach_o.read_library(content)
        if library.minimum_macos is None or library.minimum_macos > TARGET_MACOS:
            raise ValueError(
                f"{wheel.name}: {name} needs macOS {library.minimum_macos}: what it "
                f"imports proves nothing for macOS {TARGET_MACOS}"
            )
        libraries.append(library)
    return libraries


def c_functions(libraries: Iterable[mach_o.MachOLibrary]) -> set[str]:
    """Returns the C functions of torch that the libraries export."""
    return {
        name
        for library in libraries
        for name in library.exported_functions
        if name.startswith(TORCH_C_PREFIXES)
    }


def strong_imports(
    libraries: Iterable[mach_o.MachOLibrary], system_library: str
) -> set[str]:
    """Returns what the libraries take from a system library, not weakly."""
    return {
        symbol.name
        for library in libraries
        for symbol in library.undefined
        if symbol.library == system_library and not symbol.is_weak
    }


def main() -> None:
    """Writes every list and the stub."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--downloads", type=Path, default=Path("build/macos/wheels"))
    downloads = parser.parse_args().downloads
    imports: dict[str, set[str]] = {LIBSYSTEM: set(), LIBCXX: set()}
    SYMBOLS.mkdir(exist_ok=True)
    for release in torch_wheels.RELEASES:
        libraries = torch_libraries(torch_wheels.download_wheel(release, downloads))
        functions = c_functions(libraries)
        what = f"C functions that the macOS wheel of torch {release} exports."
        write_list(torch_list_file(release), what, functions)
        for system_library, names in imports.items():
            names |= strong_imports(libraries, system_library)
        print(f"torch {release}: {len(functions)} C functions")
    for system_library, names in imports.items():
        what = (
            f"Symbols of {system_library} that libtorch_cpu and libc10 of torch "
            f"{', '.join(torch_wheels.RELEASES)} import, not weakly (union)."
        )
        write_list(system_list_file(system_library), what, names)
        print(f"{system_library}: {len(names)} symbols")
    LIBCXX_STUB.write_text(stub_text(imports[LIBCXX]), encoding="ascii")


if __name__ == "__main__":
    main()
