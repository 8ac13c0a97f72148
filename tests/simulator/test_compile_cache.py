# SPDX-License-Identifier: MIT
"""The compiler of Metal text: when it is started, and what its refusals say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flash_attn_mps import simulator
from flash_attn_mps._toolchain import zig_program

TEXT = """#include <metal_stdlib>
#include "factor.h"
kernel void scale(device float* x [[buffer(0)]],
                  uint i [[thread_position_in_grid]]) {
  x[i] *= FACTOR;
}
"""

# Runs TEXT once with the compiler named by argv[1]; prints the first result.
SCRIPT = """
import ctypes, sys
import numpy as np
from flash_attn_mps import simulator
from flash_attn_mps._toolchain import zig_program
import flash_attn_mps._simulator as module
from pathlib import Path
library = Path(module.__file__).parent / "libflash_attn_mps_simulator.so"
configure = ctypes.CDLL(str(library)).flash_attn_mps_simulator_configure
configure(sys.argv[1].encode(), f"{zig_program()} ld.lld".encode(), b"python3")
x = np.ones(4, np.float32)
text = Path(sys.argv[2]).read_text()
program = simulator.Library(text, include_paths=[Path(sys.argv[2]).parent])
program.kernel("scale").dispatch(threads=(4, 1, 1), group=(4, 1, 1), buffers=[x])
print(x[0])
"""


class Workshop:
    """A folder with a kernel, a cache and a compiler that counts its starts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.log = folder / "starts"
        self.source = folder / "scale.metal"
        self.source.write_text(TEXT)
        self.set_factor(3)
        self.compiler = self.script(
            f'echo start >> {self.log}; exec {zig_program()} "$@"'
        )

    def set_factor(self, factor: int) -> None:
        """Writes the header that the kernel includes."""
        (self.folder / "factor.h").write_text(f"#define FACTOR {factor}.0\n")

    def script(self, body: str) -> str:
        """An executable shell script; returns its path."""
        path = self.folder / f"compiler{len(list(self.folder.glob('compiler*')))}"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return str(path)

    def start(self, command: str) -> subprocess.Popen[str]:
        """A process that runs the kernel with a compiler."""
        root = str(Path(__file__).resolve().parents[2])
        environment = os.environ | {
            "FLASH_ATTN_MPS_CACHE_DIR": str(self.cache),
            "PYTHONPATH": root,
        }
        return subprocess.Popen(
            [sys.executable, "-c", SCRIPT, command, str(self.source)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, command: str) -> tuple[str, str]:
        """Output and last line of errors."""
        output, error = self.start(command).communicate(timeout=60)
        return output.strip(), error.strip().splitlines()[-1] if error else ""

    def starts(self) -> int:
        """How often the counting compiler was started."""
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def test_a_second_process_starts_no_compiler(workshop: Workshop) -> None:
    command = f"{workshop.compiler} clang"
    assert workshop.run(command) == ("3.0", "")
    cold = workshop.starts()
    assert cold > 0
    assert workshop.run(command) == ("3.0", "")
    assert workshop.starts() == cold


def test_a_changed_include_compiles_again(workshop: Workshop) -> None:
    command = f"{workshop.compiler} clang"
    assert workshop.run(command)[0] == "3.0"
    workshop.set_factor(5)
    assert workshop.run(command)[0] == "5.0"


def test_processes_that_compile_at_once_leave_whole_files(workshop: Workshop) -> None:
    processes = [workshop.start(f"{workshop.compiler} clang") for _ in range(4)]
    results = [process.communicate(timeout=60) for process in processes]
    assert [output.strip() for output, _ in results] == ["3.0"] * 4
    assert not list(workshop.cache.glob("tmp-*"))
    assert len(list(workshop.cache.glob("*.so"))) == 1


def test_a_cut_off_file_is_written_again(workshop: Workshop) -> None:
    command = f"{workshop.compiler} clang"
    workshop.run(command)
    for program in workshop.cache.glob("*.program"):
        program.write_bytes(program.read_bytes()[:-10])
    assert workshop.run(command) == ("3.0", "")


@pytest.mark.parametrize(
    ("body", "got"),
    [
        ("echo clang version 14.0.6", "clang 14. "),
        ("echo something else", "'{}', which does not answer as clang. "),
    ],
)
def test_an_unusable_compiler_is_refused_in_one_sentence(
    workshop: Workshop, body: str, got: str
) -> None:
    compiler = workshop.script(body)
    _, error = workshop.run(compiler)
    assert error == (
        "flash_attn_mps._simulator.CompileError: the simulator needs clang 22 or "
        f"later to compile Metal text; got {got.format(compiler)}"
        "Install it with: pip install 'ziglang>=0.17'"
    )


def test_a_missing_compiler_is_refused_in_one_sentence(workshop: Workshop) -> None:
    assert workshop.run("")[1].endswith(
        "got none. Install it with: pip install 'ziglang>=0.17'"
    )


HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "kernel void k(texture2d<float> t [[texture(0)]]) {}",
            "m.metal:3: 'texture2d' is not supported: the simulator has no textures, "
            "only compute kernels on buffers.",
        ),
        (
            "kernel void k(device float* p [[buffer(0)]], uint i [[vertex_id]]) {}",
            "m.metal:3: [[vertex_id]] is not supported as the attribute of a kernel "
            "parameter.",
        ),
        (
            "kernel void k(device float* p, uint i) {}",
            "m.metal:3: kernel parameter 'i' needs an attribute such as [[buffer(n)]] "
            "or [[thread_position_in_grid]], or an address space.",
        ),
        (
            "constant int n [[function_constant(3)]];\n"
            "kernel void k(device float* p) { p[0] = n; }",
            "m.metal:3: kernel 'k' needs a value for function constant 'n'; got none. "
            "Pass constants={3: value}.",
        ),
        (
            "kernel void other(device float* p) {}",
            "m.metal: no kernel is named 'k'; got 'other'.",
        ),
        (
            "shader void k(device float* p) {}",
            "m.metal:3:1: error: unknown type name 'shader'\n"
            "    3 | shader void k(device float* p) {}\n"
            "      | ^\n"
            "1 error generated.\n",
        ),
    ],
)
def test_what_cannot_be_compiled_is_named_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "m.metal"
    path.write_text(HEAD + text)
    with pytest.raises(simulator.CompileError) as caught:
        simulator.Library(path).kernel("k").dispatch(
            threads=(1, 1, 1), group=(1, 1, 1), buffers=[np.zeros(4, np.float32)]
        )
    assert str(caught.value).replace(f"{tmp_path}/", "") == message


def test_the_compilers_own_message_keeps_file_line_and_metal_words(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.metal"
    path.write_text(
        HEAD + "kernel void k(device float* p,\n threadgroup float* q) {\n  p = q;\n}"
    )
    with pytest.raises(simulator.CompileError) as caught:
        simulator.Library(path).kernel("k").dispatch(
            threads=(1, 1, 1), group=(1, 1, 1), buffers=[np.zeros(4, np.float32)]
        )
    assert str(caught.value).startswith(f"{path}:5:")
    assert "threadgroup float *" in str(caught.value)
    assert "__local" not in str(caught.value)
