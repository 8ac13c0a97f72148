# SPDX-License-Identifier: MIT
"""Builds small macOS libraries and wheels that the tests of the audit judge.

The libraries link a stub of torch, so nothing is downloaded.
"""

from __future__ import annotations

import shlex
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tools.macos import audit_library, audit_wheel, build_wheel
from tools.macos.write_symbol_lists import (
    LIBCXX,
    read_list,
    stub_text,
    system_list_file,
)

TORCH_STUB = """\
--- !tapi-tbd
tbd-version:     4
targets:         [ arm64-macos, x86_64-macos ]
install-name:    '{install_name}'
exports:
  - targets:         [ arm64-macos, x86_64-macos ]
    symbols: [ {symbols} ]
...
"""
SOURCE = """\
#include <dlfcn.h>
extern "C" int aoti_torch_mps_malloc(void** buffer, unsigned long bytes);
extern "C" void* find_newer() {
  void* buffer = nullptr;
  aoti_torch_mps_malloc(&buffer, 16);
  return dlsym(RTLD_DEFAULT, "torch_mps_set_arg_bytes");
}
extern "C" void* find_error_text() {
  return dlsym(RTLD_DEFAULT, "torch_exception_get_what_without_backtrace");
}
"""


@dataclass(frozen=True)
class LibraryRecipe:
    """How a small library is made; the defaults make one that is right."""

    source: str = SOURCE
    target: str = build_wheel.TARGET
    install_name: str = audit_library.INSTALL_NAME
    rpaths: tuple[str, ...] = (audit_library.TORCH_RPATH,)
    torch_symbols: tuple[str, ...] = ("_aoti_torch_mps_malloc",)
    # Install name and exported symbols of one more library to link.
    other_library: tuple[str, str] | None = None
    more_libcxx_symbols: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


Build = Callable[[LibraryRecipe], bytes]


def _write_stub(path: Path, install_name: str, symbols: str) -> str:
    path.write_text(TORCH_STUB.format(install_name=install_name, symbols=symbols))
    return str(path)


@pytest.fixture(scope="session")
def zig() -> list[str]:
    """The cross-compiler, without its target."""
    return shlex.split(build_wheel.compiler_command())[:2]


@pytest.fixture
def build_library(zig: list[str], tmp_path: Path) -> Build:
    """Compiles and links one small library and returns its content."""

    def build(recipe: LibraryRecipe) -> bytes:
        source = tmp_path / "library.cpp"
        source.write_text(recipe.source)
        output = tmp_path / "library.dylib"
        torch = _write_stub(
            tmp_path / "torch.tbd",
            "@rpath/libtorch_cpu.dylib",
            ", ".join(recipe.torch_symbols),
        )
        libcxx = tmp_path / "libc++.tbd"
        names = read_list(system_list_file(LIBCXX))
        libcxx.write_text(stub_text([*names, *recipe.more_libcxx_symbols]))
        links = [torch, "-nostdlib++", str(libcxx)]
        if recipe.other_library is not None:
            links.append(_write_stub(tmp_path / "other.tbd", *recipe.other_library))
        command = [*zig, "-target", recipe.target, "-O2", "-g0", "-dynamiclib"]
        command += [str(source), "-o", str(output), *links]
        command += [f"-Wl,-install_name,{recipe.install_name}"]
        command += [f"-Wl,-rpath,{rpath}" for rpath in recipe.rpaths]
        result = subprocess.run(
            [*command, *recipe.flags], capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
        return output.read_bytes()

    return build


@dataclass(frozen=True)
class WheelRecipe:
    """How a small wheel is made; the defaults make one that is right."""

    library: bytes
    file_name: str = f"flash_attn_mps-0.1.0-{audit_wheel.WHEEL_TAG}.whl"
    tag: str = audit_wheel.WHEEL_TAG
    requirement: str = "torch>=2.10"
    without: tuple[str, ...] = ()
    added: dict[str, bytes] = field(default_factory=dict)


@pytest.fixture
def package_folder(tmp_path: Path) -> Path:
    """A package of one module, its stub and a simulator that stays behind."""
    folder = tmp_path / "flash_attn_mps"
    folder.mkdir()
    for name in ("__init__.py", "module.pyi", "py.typed", "simulator.py"):
        (folder / name).write_text("")
    return folder


@pytest.fixture
def write_wheel(tmp_path: Path) -> Callable[[WheelRecipe], Path]:
    """Writes one small wheel and returns its path."""

    def write(recipe: WheelRecipe) -> Path:
        info = "flash_attn_mps-0.1.0.dist-info"
        metadata = (
            "Metadata-Version: 2.4\nName: flash_attn_mps\nVersion: 0.1.0\n"
            f"Requires-Dist: {recipe.requirement}\n"
        )
        wheel = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {recipe.tag}\n"
        members = {
            audit_wheel.LIBRARY_MEMBER: recipe.library,
            "flash_attn_mps/__init__.py": b"",
            "flash_attn_mps/module.pyi": b"",
            "flash_attn_mps/py.typed": b"",
            f"{info}/licenses/LICENSE": b"MIT",
            f"{info}/METADATA": metadata.encode(),
            f"{info}/WHEEL": wheel.encode(),
        } | recipe.added
        kept = {
            name: content
            for name, content in members.items()
            if not name.endswith(recipe.without or "\0")
        }
        record = "".join(f"{name},,\n" for name in kept) + f"{info}/RECORD,,\n"
        path = tmp_path / recipe.file_name
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in kept.items():
                archive.writestr(name, content)
            archive.writestr(f"{info}/RECORD", record)
        return path

    return write
