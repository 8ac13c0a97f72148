# SPDX-License-Identifier: MIT
"""The simulated C shim is as strict as torch's: every misuse is an error in words."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

import flash_attn_mps
from flash_attn_mps import _extension as _extension  # loads the shim

SOURCE = b"""#include <metal_stdlib>
using namespace metal;
[[kernel, max_total_threads_per_threadgroup(64)]] void double_all(
    device float* x [[buffer(0)]], constant long& n [[buffer(1)]],
    uint i [[thread_position_in_grid]]) {
  if (long(i) < n) {
    x[i] *= 2.0f;
  }
}
"""
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
Handle = ctypes.c_void_p

library_file = Path(flash_attn_mps.__file__).parent / "_operators.so"
shim = ctypes.CDLL(str(library_file))
shim.flash_attn_mps_simulator_last_error.restype = ctypes.c_char_p


def last_error() -> str:
    """Text of the last failed call."""
    text = shim.flash_attn_mps_simulator_last_error()
    assert isinstance(text, bytes)
    return text.decode()


def create(source: bytes) -> tuple[int, ctypes.c_void_p]:
    """Code and handle of a shader library."""
    handle = Handle()
    code = shim.aoti_torch_mps_create_shader_library(source, ctypes.byref(handle))
    return code, handle


@pytest.fixture
def function() -> Iterator[ctypes.c_void_p]:
    """The kernel of SOURCE."""
    code, library = create(SOURCE)
    assert code == 0, last_error()
    handle = Handle()
    code = shim.aoti_torch_mps_get_kernel_function(
        library, b"double_all", ctypes.byref(handle)
    )
    assert code == 0, last_error()
    yield handle
    assert shim.aoti_torch_mps_delete_shader_library(library) == 0


def in_block(
    function: ctypes.c_void_p, *calls: Callable[[], int]
) -> tuple[int, list[int], str]:
    """Code of the block, codes of the calls in it, text of the last failure."""
    codes: list[int] = []
    texts: list[str] = []

    def body(_function: int, _data: int) -> None:
        for call in calls:
            codes.append(call())
            if codes[-1] != 0:
                texts.append(last_error())

    callback = CALLBACK(body)
    code = shim.aoti_torch_mps_run_command_block(function, callback, None)
    return code, codes, texts[-1] if texts else ""


def start(function: ctypes.c_void_p) -> Callable[[], int]:
    return lambda: int(shim.aoti_torch_mps_start_encoding(function))


def set_int(function: ctypes.c_void_p, index: int, value: int) -> Callable[[], int]:
    return lambda: int(
        shim.aoti_torch_mps_set_arg_int(function, index, ctypes.c_int64(value))
    )


def dispatch(function: ctypes.c_void_p, *sizes: int) -> Callable[[], int]:
    return lambda: int(
        shim.aoti_torch_mps_dispatch_single_with_group_size(
            function, *(ctypes.c_uint64(size) for size in sizes)
        )
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("// 90\u00b0\n".encode(), "7-bit ASCII"),
        (b"kernel void k(device float* x [[buffer(0)]]) { oops(); }", "oops"),
    ],
)
def test_failed_compilation_leaves_the_handle_null(source: bytes, words: str) -> None:
    code, handle = create(source)
    assert code != 0
    assert handle.value is None
    assert words in last_error()


def test_null_arguments_are_refused(function: ctypes.c_void_p) -> None:
    assert shim.aoti_torch_mps_create_shader_library(None, None) != 0
    assert "must not be null" in last_error()
    assert shim.aoti_torch_mps_get_kernel_function(None, b"k", None) != 0
    assert shim.aoti_torch_mps_start_encoding(None) != 0
    assert shim.aoti_torch_mps_run_command_block(function, None, None) != 0
    code, codes, text = in_block(
        function,
        start(function),
        lambda: int(shim.aoti_torch_mps_set_arg_tensor(function, 0, None)),
    )
    assert (code, codes[0]) == (0, 0)
    assert codes[1] != 0
    assert text == "set_arg_tensor: the tensor must not be null"


def test_unknown_kernel_is_refused_by_name() -> None:
    _, library = create(SOURCE)
    handle = Handle()
    code = shim.aoti_torch_mps_get_kernel_function(
        library, b"absent", ctypes.byref(handle)
    )
    assert code != 0
    assert handle.value is None
    assert last_error() == "Failed to create function state object for: absent"


def test_calls_out_of_order_are_refused(function: ctypes.c_void_p) -> None:
    assert start(function)() != 0
    assert "inside a command block" in last_error()
    _, codes, text = in_block(function, set_int(function, 1, 1))
    assert codes[0] != 0
    assert "start_encoding of the same kernel must come first" in text
    _, codes, text = in_block(function, dispatch(function, 64, 64))
    assert codes[0] != 0
    assert text.startswith("dispatch: start_encoding")


def test_blocks_do_not_nest_and_allocate_nothing(function: ctypes.c_void_p) -> None:
    inner = CALLBACK(lambda _function, _data: None)
    pointer = Handle()
    _, codes, text = in_block(
        function,
        lambda: int(shim.aoti_torch_mps_run_command_block(function, inner, None)),
        lambda: int(shim.aoti_torch_mps_malloc(ctypes.byref(pointer), 16)),
        lambda: create(SOURCE)[0],
    )
    assert all(code != 0 for code in codes)
    assert "must not be called inside a command block" in text


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((65, 64), "full multiple of the threadgroup size"),
        ((128, 128), "max_total_threads_per_threadgroup = 64"),
        ((0, 64), "must be positive"),
    ],
)
def test_partial_and_oversized_groups_are_refused(
    function: ctypes.c_void_p, sizes: tuple[int, int], words: str
) -> None:
    _, codes, text = in_block(function, start(function), dispatch(function, *sizes))
    assert codes[1] != 0
    assert words in text


def test_lengths_and_groups_must_have_as_many_dimensions(
    function: ctypes.c_void_p,
) -> None:
    sizes = (ctypes.c_uint64 * 3)(64, 1, 1)

    def call() -> int:
        return int(
            shim.aoti_torch_mps_dispatch_array_with_group_size(
                function, sizes, ctypes.c_size_t(3), sizes, ctypes.c_size_t(2)
            )
        )

    _, codes, text = in_block(function, start(function), call)
    assert codes[1] != 0
    assert "as many dimensions" in text


def test_slot_and_bytes_have_limits(function: ctypes.c_void_p) -> None:
    data = ctypes.create_string_buffer(4097)

    def set_bytes(size: int) -> Callable[[], int]:
        return lambda: int(
            shim.torch_mps_set_arg_bytes(function, 1, data, ctypes.c_uint64(size))
        )

    _, codes, text = in_block(function, start(function), set_int(function, 31, 1))
    assert codes[1] != 0
    assert text == "set_arg: the buffer index must be at most 30; got 31"
    _, codes, _ = in_block(
        function, start(function), set_bytes(4096), set_bytes(0), set_bytes(4097)
    )
    assert [code == 0 for code in codes] == [True, True, False, False]


def test_device_memory_is_copied_within_its_bounds() -> None:
    buffer = Handle()
    source = (ctypes.c_uint8 * 8)(*range(8))
    assert shim.aoti_torch_mps_malloc(ctypes.byref(buffer), ctypes.c_size_t(8)) == 0

    def copy(offset: int, size: int) -> int:
        return int(
            shim.aoti_torch_mps_memcpy(
                buffer,
                ctypes.c_size_t(offset),
                ctypes.c_size_t(0),
                ctypes.c_size_t(size),
                source,
            )
        )

    assert copy(2, 6) == 0
    assert ctypes.string_at(buffer, 8) == bytes([0, 0, 0, 1, 2, 3, 4, 5])
    assert copy(3, 6) != 0
    assert "inside the buffer" in last_error()
    assert shim.aoti_torch_mps_free(buffer) == 0
    assert shim.aoti_torch_mps_free(buffer) != 0


def test_tensor_is_bound_from_its_first_to_its_last_addressed_byte(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FLASH_ATTN_MPS_SIMULATOR_CHECKS", "all")
    _, library = create(SOURCE)
    function = Handle()
    shim.aoti_torch_mps_get_kernel_function(
        library, b"double_all", ctypes.byref(function)
    )
    storage = torch.ones(256)
    view = storage[64:].as_strided((4, 8), (16, 1))  # 56 elements
    results = {}
    for count in (56, 57):
        _, codes, text = in_block(
            function,
            start(function),
            lambda: int(
                shim.aoti_torch_mps_set_arg_tensor(
                    function, 0, ctypes.c_void_p(tensor_handle(view))
                )
            ),
            set_int(function, 1, count),
            dispatch(function, 64, 64),
        )
        results[count] = (codes[-1], text)
    assert results[56] == (0, "")
    assert results[57][0] != 0
    assert "outside the buffer of 224 bytes (x, byte offset 224)" in results[57][1]
    expected = np.ones(256, np.float32)
    expected[64:120] = 4
    np.testing.assert_array_equal(storage.numpy(), expected)


def tensor_handle(tensor: torch.Tensor) -> int:
    """AtenTensorHandle of a tensor, as torch's own compiled code passes it."""
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    (capsule,) = torch._C._aoti.unsafe_alloc_void_ptrs_from_tensors([tensor])
    return int(get_pointer(capsule, None))
