# SPDX-License-Identifier: MIT
"""The committed symbol lists are well formed and agree with each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.macos.conftest import Build, LibraryRecipe
from tools.macos import mach_o, torch_wheels
from tools.macos.write_symbol_lists import (
    LIBCXX,
    LIBCXX_STUB,
    LIBSYSTEM,
    MADE_BY,
    SYMBOLS,
    TORCH_C_PREFIXES,
    c_functions,
    read_list,
    strong_imports,
    stub_text,
    system_list_file,
    torch_list_file,
    write_list,
)

# torch/csrc/inductor/aoti_torch/c/shim_mps.h, the functions of the MPS stream.
SHIM_FUNCTIONS = (
    "create_shader_library",
    "delete_shader_library",
    "get_kernel_function",
    "start_encoding",
    "set_arg_tensor",
    "set_arg_int",
    "dispatch_single",
    "dispatch_single_with_group_size",
    "dispatch_array",
    "dispatch_array_with_group_size",
    "malloc",
    "free",
    "memcpy",
    "copy_buffer",
    "shared_callback",
    "run_command_block",
)
LIST_FILES = sorted(SYMBOLS.glob("*.txt"))


def test_lists_one_for_each_release_and_system_library() -> None:
    expected = [torch_list_file(release) for release in torch_wheels.RELEASES]
    expected += [system_list_file(LIBSYSTEM), system_list_file(LIBCXX)]
    assert sorted(expected) == LIST_FILES


@pytest.mark.parametrize("path", LIST_FILES, ids=lambda path: path.name)
def test_list_is_sorted_and_says_how_it_was_made(path: Path) -> None:
    lines = path.read_text(encoding="ascii").splitlines()
    assert lines[1] == f"# {MADE_BY}"
    names = lines[2:]
    assert names == sorted(set(names))
    assert all(name and " " not in name for name in names)


@pytest.mark.parametrize("release", torch_wheels.RELEASES)
def test_torch_list_has_the_mps_shim_and_only_c_functions(release: str) -> None:
    names = read_list(torch_list_file(release))
    assert all(name.startswith(TORCH_C_PREFIXES) for name in names)
    missing = {f"_aoti_torch_mps_{function}" for function in SHIM_FUNCTIONS} - names
    assert not missing


def test_set_arg_bytes_is_in_the_newer_releases_only() -> None:
    having = [
        release
        for release in torch_wheels.RELEASES
        if "_torch_mps_set_arg_bytes" in read_list(torch_list_file(release))
    ]
    assert having == ["2.14.1", "2.15.0"]


def test_stub_holds_exactly_the_listed_symbols() -> None:
    names = read_list(system_list_file(LIBCXX))
    assert LIBCXX_STUB.read_text(encoding="ascii") == stub_text(names)
    assert f"install-name:    '{LIBCXX}'" in stub_text(names)


def test_write_list_sorts_and_read_list_returns_the_names(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    write_list(path, "Names.", ["_b", "_a", "_b"])
    assert path.read_text() == f"# Names.\n# {MADE_BY}\n_a\n_b\n"
    assert read_list(path) == {"_a", "_b"}


def test_strong_imports_leave_out_a_weak_import(build_library: Build) -> None:
    source = """
extern "C" void* malloc(unsigned long);
extern "C" int os_sync_wake_by_address_any(void*, unsigned long, unsigned)
    __attribute__((weak_import));
extern "C" void* uses_both() {
  void* memory = malloc(8);
  if (os_sync_wake_by_address_any) os_sync_wake_by_address_any(memory, 8, 0);
  return memory;
}
"""
    (library,) = mach_o.read_library(build_library(LibraryRecipe(source=source)))
    undefined = {symbol.name: symbol.is_weak for symbol in library.undefined}
    assert undefined["_os_sync_wake_by_address_any"]
    imports = strong_imports([library], LIBSYSTEM)
    assert "_malloc" in imports
    assert "_os_sync_wake_by_address_any" not in imports


def test_c_functions_leave_out_data_and_other_names(build_library: Build) -> None:
    source = """
extern "C" int aoti_torch_function() { return 1; }
extern "C" int aoti_torch_data = 2;
extern "C" int other_function() { return 3; }
int aoti_torch_mangled() { return 4; }
"""
    (library,) = mach_o.read_library(build_library(LibraryRecipe(source=source)))
    assert c_functions([library]) == {"_aoti_torch_function"}
