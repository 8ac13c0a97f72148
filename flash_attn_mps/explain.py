# SPDX-License-Identifier: MIT
"""Says what the package runs on and what it would do for a problem.

Text comes from the compiled library's own descriptions; nothing is computed.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.metadata
import platform
from collections.abc import Iterator

import torch

from flash_attn_mps._toolchain import IS_MACOS, zig_program
from flash_attn_mps.operators import pipeline_cache_info

Value = int | float | str | list[int]
# Values of one stage, or stages of one kernel.
Section = dict[str, "Value | Section"]

SIMULATED_DEVICE = "Apple M1 Max"


def device_name() -> str:
    """Returns the GPU's name: the Mac's chip, or the chip that is simulated."""
    return _sysctl("machdep.cpu.brand_string") if IS_MACOS else SIMULATED_DEVICE


def _sysctl(name: str) -> str:
    """A string that the macOS kernel knows by this name; "unknown" if it does not."""
    library = ctypes.CDLL(ctypes.util.find_library("c"))
    size = ctypes.c_size_t(0)
    if library.sysctlbyname(name.encode(), None, ctypes.byref(size), None, 0) != 0:
        return "unknown"
    text = ctypes.create_string_buffer(size.value)
    if library.sysctlbyname(name.encode(), text, ctypes.byref(size), None, 0) != 0:
        return "unknown"
    return text.value.decode()


def backend() -> str:
    """Returns "mps" where kernels run on a GPU, "simulator" where they do not."""
    return "mps" if IS_MACOS else "simulator"


def toolchain() -> str:
    """Returns what compiles the kernels, without starting it."""
    if IS_MACOS:
        return "Metal compiler of macOS " + platform.mac_ver()[0]
    if not zig_program():
        return "none: install ziglang, whose clang compiles the kernels"
    return "clang of ziglang " + importlib.metadata.version("ziglang")


def information() -> Section:
    """Returns versions, device and toolchain.

    Example:
        >>> from flash_attn_mps.explain import information
        >>> information()["backend"] in ("mps", "simulator")
        True
    """
    from flash_attn_mps import __version__

    cache = pipeline_cache_info()
    return {
        "flash_attn_mps": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "backend": backend(),
        "device": device_name(),
        "toolchain": toolchain(),
        "pipelines": f"{cache.size} held, {cache.hits} hits, {cache.misses} misses",
    }


def explanation(
    shape: tuple[int, int, int, int, int],
    *,
    dtype: str,
    key_value_heads: int | None = None,
    is_causal: bool = False,
) -> Section:
    """Returns every value from the problem to the dispatch.

    Args:
        shape: batch, query heads, query length, key length, head dimension; the
            tensors are taken to be row-major.
        dtype: "float32", "float16" or "bfloat16".
        key_value_heads: Heads of key and value; those of query if None.
        is_causal: Whether query row i sees only the keys j <= i.

    Returns:
        Sections problem and device_traits, and for every kernel its tiling_plan,
        kernel_spec, source and dispatch_plan.

    Raises:
        RuntimeError: If the problem cannot be answered; the text says why.

    Example:
        >>> from flash_attn_mps.explain import explanation
        >>> explanation((1, 2, 16, 16, 32), dtype="float16")["problem"]["head_dim"]
        32
    """
    heads = shape[1] if key_value_heads is None else key_value_heads
    text = torch.ops.flash_attn_mps.explain(list(shape), heads, dtype, is_causal)
    return _sections(text)


def _sections(text: str) -> Section:
    """Reads sections "[outer.inner]" of lines "name: value"."""
    root: Section = {}
    current = root
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            current = root
            for name in line[1:-1].split("."):
                inner = current.setdefault(name, {})
                assert isinstance(inner, dict)
                current = inner
        else:
            name, _, value = line.partition(":")
            current[name] = _value(value.strip())
    return root


def _value(text: str) -> Value:
    """A number, a list of whole numbers, or the text itself."""
    for read in (int, float, _whole_numbers):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _whole_numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def lines(section: Section, indent: int = 0) -> Iterator[str]:
    """Yields a section as indented lines."""
    for name, value in section.items():
        if isinstance(value, dict):
            yield f"{' ' * indent}{name}"
            yield from lines(value, indent + 2)
        elif isinstance(value, list):
            yield f"{' ' * indent}{name}: {', '.join(map(str, value))}"
        else:
            yield f"{' ' * indent}{name}: {value}"
