# SPDX-License-Identifier: MIT
"""Runs any Metal compute kernel on a simulated Apple GPU, over NumPy arrays.

The public interface of the simulator; the work is done in C++. It needs no torch of
its own and never touches the attention operators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from flash_attn_mps import _simulator
from flash_attn_mps._toolchain import configure_simulator

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = [
    "CompileError",
    "Kernel",
    "Library",
    "Report",
    "Violation",
    "empty",
]

CompileError = _simulator.CompileError

configure_simulator()

Extent = tuple[int, int, int]
Constant = bool | int | float
Memory = tuple[int, int, str, int]


class Violation(RuntimeError):
    """What a checker found; the text is one readable paragraph.

    Attributes:
        kind: "bounds", "race", "uninitialised", "divergence", "inactive-lane",
            "alignment", "limit" or "arithmetic".
        file: File of the Metal source.
        line: Line in it.
        kernel: Host name of the kernel.
        threadgroup: Position of the threadgroup in the grid.
        simdgroup: Index of the simdgroup in its threadgroup, -1 if none.
        lane: Index of the lane in its simdgroup, -1 if none.
        buffer: Name of the buffer or threadgroup array in the kernel, "" if none.
        buffer_index: Index of the buffer, None for a threadgroup array or none.
        offset: Byte offset in it.
        other: The other access (file, line, threadgroup, simdgroup, lane), or None.
    """

    def __init__(self, report: _simulator.Violation) -> None:
        super().__init__(report.paragraph())
        self.kind: str = report.kind
        self.file: str = report.file
        self.line: int = report.line
        self.kernel: str = report.kernel
        self.threadgroup: Extent = report.threadgroup
        self.simdgroup: int = report.simdgroup
        self.lane: int = report.lane
        self.buffer: str = report.buffer
        index: int = report.buffer_index
        self.buffer_index: int | None = index if index >= 0 else None
        self.offset: int = report.offset
        self.other: tuple[str, int, Extent, int, int] | None = report.other


@dataclass(frozen=True)
class Report:
    """What a dispatch did: exact counts, violations, and notes (never raised)."""

    counters: dict[str, int]
    violations: list[Violation] = field(default_factory=list)
    notes: list[Violation] = field(default_factory=list)


class UninitialisedArray(np.ndarray[Any, np.dtype[Any]]):
    """An array whose bytes count as uninitialised until they are written."""

    initialised_bytes: NDArray[np.uint8] | None

    def __array_finalize__(self, source: object) -> None:
        """Views and copies are ordinary arrays: all their bytes are initialised."""
        self.initialised_bytes = None

    def __setitem__(self, index: Any, value: Any) -> None:
        """Assignment from Python initialises the bytes it writes."""
        super().__setitem__(index, value)
        if self.initialised_bytes is not None:
            shape = (*self.shape, self.itemsize)
            self.initialised_bytes.reshape(shape)[index] = 1


def empty(shape: int | Sequence[int], dtype: DTypeLike) -> UninitialisedArray:
    """Returns an array for a kernel's output that nothing has written yet.

    Args:
        shape: Shape of the array.
        dtype: Element type.

    Returns:
        An array; reading one of its bytes in a checked kernel before a kernel (or
        an assignment) has written it is an "uninitialised" violation.
    """
    array = np.zeros(shape, dtype).view(UninitialisedArray)
    array.initialised_bytes = np.zeros(array.nbytes, np.uint8)
    return array


def addressed_bytes(array: NDArray[Any]) -> int:
    """Bytes from the first to the last that the array's strides address."""
    if array.size == 0:
        return 0
    if any(stride < 0 for stride in array.strides):
        raise ValueError("buffers: strides must not be negative; pass a copy")
    pairs = zip(array.shape, array.strides, strict=True)
    last = sum((size - 1) * stride for size, stride in pairs)
    return int(last) + array.itemsize


def bound_memory(buffer: object, index: int, kept: list[object]) -> Memory | None:
    """Address, bytes, what it is, address of its initialised bytes or 0."""
    if buffer is None:
        return None
    if isinstance(buffer, bytes | np.generic):
        raw = buffer if isinstance(buffer, bytes) else buffer.tobytes()
        data = np.frombuffer(raw, np.uint8).copy()  # aligned
        kept.append(data)
        return data.ctypes.data, data.nbytes, "set bytes", 0
    if isinstance(buffer, np.ndarray):
        shadow = getattr(buffer, "initialised_bytes", None)
        kept.append(buffer)
        return (
            buffer.ctypes.data,
            addressed_bytes(buffer),
            "writable" if buffer.flags.writeable else "read-only",
            0 if shadow is None else shadow.ctypes.data,
        )
    raise TypeError(
        f"buffers[{index}] must be a NumPy array, a NumPy scalar, bytes or None; "
        f"got {type(buffer).__name__}"
    )


def three_extents(extents: int | Sequence[int], name: str) -> Extent:
    """One to three extents as three."""
    sizes = (extents,) if isinstance(extents, int) else tuple(extents)
    if not 1 <= len(sizes) <= 3 or any(size < 0 for size in sizes):
        raise ValueError(f"{name} must be 1 to 3 extents >= 0; got {extents!r}")
    x, y, z = (*sizes, 1, 1)[:3]
    return int(x), int(y), int(z)


class Kernel:
    """One kernel of a library, compiled."""

    def __init__(self, kernel: _simulator.Kernel) -> None:
        self._kernel = kernel

    @property
    def name(self) -> str:
        """Host name of the kernel."""
        return str(self._kernel.name)

    def dispatch(
        self,
        *,
        threads: int | Sequence[int],
        group: int | Sequence[int],
        buffers: Sequence[object] = (),
        threadgroup_bytes: Sequence[int] = (),
        seed: int = 0,
        raise_on_violation: bool = True,
    ) -> Report:
        """Runs a grid of threads, as Metal's dispatchThreads does.

        Args:
            threads: Threads of the grid in x, y, z.
            group: Threads of a threadgroup; the last ones of the grid may be partial.
            buffers: What is bound to [[buffer(0)]], [[buffer(1)]], ...: arrays
                (shared, not copied), scalars and bytes (copied, constant), or None.
            threadgroup_bytes: Lengths of [[threadgroup(0)]], [[threadgroup(1)]], ...
            seed: 0 runs everything in natural order; another value draws the order
                of threadgroups, simdgroups and lanes.
            raise_on_violation: Whether the first violation is raised.

        Returns:
            The report.

        Raises:
            Violation: A checker found a fault.
        """
        kept: list[object] = []
        memory = [bound_memory(b, i, kept) for i, b in enumerate(buffers)]
        result = self._kernel.dispatch(
            three_extents(threads, "threads"),
            three_extents(group, "group"),
            memory,
            list(threadgroup_bytes),
            seed,
        )
        report = Report(
            counters=dict(result.counters),
            violations=[Violation(v) for v in result.violations],
            notes=[Violation(n) for n in result.notes],
        )
        if report.violations and raise_on_violation:
            raise report.violations[0]
        return report


class Library:
    """A Metal text, translated; its kernels are compiled when they are asked for."""

    def __init__(
        self,
        source: str | Path,
        *,
        include_paths: Sequence[str | Path] = (),
        defines: Mapping[str, object] | None = None,
        constants: Mapping[int, Constant] | None = None,
        checks: Literal["all", "none"] = "all",
        fast_math: bool = False,
        optimization: int = 2,
    ) -> None:
        """Translates a Metal text.

        Args:
            source: Metal text (str) or a file of it (Path).
            include_paths: Folders for `#include "..."`; a file's own is searched too.
            defines: Macros and their values.
            constants: Values of function constants by index.
            checks: "all" runs every checker, "none" runs fast.
            fast_math: Compiles with the freedoms of Metal's fast math, to compare
                results with; only without checks.
            optimization: 0 to 3, as the compiler's -O.

        Raises:
            CompileError: The text is not Metal that the simulator supports.
        """
        if checks not in ("all", "none"):
            raise ValueError(f'checks must be "all" or "none"; got {checks!r}')
        if fast_math and checks == "all":
            raise ValueError('fast_math must come with checks="none"')
        build = "checked" if checks == "all" else "fast_math" if fast_math else "fast"
        folders = [str(folder) for folder in include_paths]
        text, file_name = (source, "metal") if isinstance(source, str) else ("", "")
        if isinstance(source, Path):
            text, file_name = source.read_text(), str(source)
            folders.append(str(source.parent))
        self._library = _simulator.Library(
            text,
            file_name,
            folders,
            {name: str(value) for name, value in (defines or {}).items()},
            dict(constants or {}),
            (build, optimization),
        )

    @property
    def kernel_names(self) -> list[str]:
        """Host names of all kernels of the text."""
        return list(self._library.kernel_names)

    def kernel(self, name: str) -> Kernel:
        """Compiles a kernel, by its host name or its function's name."""
        return Kernel(self._library.kernel(name))
