# SPDX-License-Identifier: MIT
"""Kernels in the manner of Apple's sample code, run unedited in both builds.

The kernels are our own; the results are worked out by NumPy or by hand.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from flash_attn_mps import simulator

FOLDER = Path(__file__).parent / "foreign"
ONE = (1, 1, 1)
Checks = Literal["all", "none"]
both_builds = pytest.mark.parametrize("checks", ["all", "none"])


def body(first: int) -> bytes:
    """A Body of ShaderTypes.h: numbers counted up from `first`."""
    n = range(first, first + 14)
    return struct.pack("<2f8x4f3f4x3f4x2I8x", *n[:12], n[12], n[13])


@both_builds
@pytest.mark.parametrize("optimization", [0, 2])
def test_types_shared_with_the_host_and_matrices(
    checks: Checks, optimization: int
) -> None:
    projection = np.array(
        [[2, 0, 0, 1], [0, 3, 0, 0], [0, 1, 4, 0], [0, 0, 0, 5]], np.float32
    )
    rotation = np.zeros((3, 4), np.float32)
    rotation[:, :3] = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
    scene = projection.tobytes() + rotation.tobytes() + struct.pack("<2f8x", 7, 9)
    out = np.zeros(11, np.float32)
    library = simulator.Library(
        FOLDER / "sample_scene.metal", checks=checks, optimization=optimization
    )
    library.kernel("scene").dispatch(
        threads=ONE, group=ONE, buffers=[out, body(1) + body(100), scene]
    )
    square = np.linalg.det(projection.astype(np.float64)) ** 2
    columns = projection.T.astype(np.float64)
    expected: list[Any] = [
        101 + 105 + 108,
        110 + 14,
        (columns @ [3, 4, 5, 6])[1],
        7 + 9,
        -2 + 10,
        8 + 2,
        1 - 3,
        square - 4,
        2,
        -1,
        -1,
    ]
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@both_builds
def test_fractions_are_packed_into_integers(checks: Checks) -> None:
    word = 0x80FF4001
    values, back = np.zeros((6, 4), np.float32), np.zeros(8, np.uint32)
    library = simulator.Library(FOLDER / "sample_scene.metal", checks=checks)
    library.kernel("packing").dispatch(
        threads=ONE,
        group=ONE,
        buffers=[np.array([word], np.uint32), values, back],
    )
    bytes_ = np.array([0x01, 0x40, 0xFF, 0x80])
    fractions = bytes_ / 255
    linear = ((fractions + 0.055) / 1.055) ** 2.4
    expected: list[Any] = [
        fractions,
        np.maximum(bytes_.astype(np.int8) / 127, -1),
        [1 / 1023, 0x3D0 / 1023, 0x00F / 1023, 2 / 3],
        [0x4001 / 32767, -0x7F01 / 32767, 0x4001 / 65535, 0x80FF / 65535],
        [8 / 31, 0, 1 / 31, 0],
        [1 / 255 / 12.92, linear[1], 1, fractions[3]],
    ]
    np.testing.assert_allclose(values, expected, rtol=1e-3, atol=1e-6)
    np.testing.assert_array_equal(
        back,
        [
            word,
            0x81FF4001,  # -128 and -127 are both -1
            word,
            word,
            word,
            word & 0xFFFF,
            word,
            0xFF80FF00,
        ],
    )


@both_builds
def test_conversions_out_of_range_saturate(checks: Checks) -> None:
    x = np.array([3e9, -3e9, np.nan, -1, 65536.5, np.inf], np.float32)
    words, unsigned = np.zeros(6, np.int32), np.zeros(6, np.uint32)
    vectors = np.zeros(6, np.uint16)
    library = simulator.Library(FOLDER / "conversions.metal", checks=checks)
    library.kernel("saturate_conversions").dispatch(
        threads=(6, 1, 1), group=(6, 1, 1), buffers=[x, words, unsigned, vectors]
    )
    largest = 2**31 - 1
    np.testing.assert_array_equal(words, [largest, -(2**31), 0, -1, 65536, largest])
    np.testing.assert_array_equal(unsigned, [3 * 10**9, 0, 0, 0, 65536, 2**32 - 1])
    np.testing.assert_array_equal(vectors, [65535, 0, 0, 0, 65535, 65535])


@both_builds
def test_quads_fill_what_they_shift(checks: Checks) -> None:
    lanes = np.arange(32, dtype=np.int32)
    down, up = np.zeros_like(lanes), np.zeros_like(lanes)
    library = simulator.Library(FOLDER / "conversions.metal", checks=checks)
    library.kernel("fill_quads").dispatch(
        threads=(32, 1, 1), group=(32, 1, 1), buffers=[down, up]
    )
    first = lanes // 4 * 4
    np.testing.assert_array_equal(down, np.where(lanes % 4 < 3, lanes + 1, first + 100))
    np.testing.assert_array_equal(up, np.where(lanes % 4 > 0, lanes - 1, first + 103))


@both_builds
def test_coherent_memory_is_memory(checks: Checks) -> None:
    bell, seen = np.array([4, 0], np.uint32), np.zeros(1, np.uint32)
    library = simulator.Library(FOLDER / "conversions.metal", checks=checks)
    library.kernel("ring_doorbell").dispatch(
        threads=ONE, group=ONE, buffers=[bell, seen]
    )
    assert bell[1] == seen[0] == 5


@both_builds
def test_kernels_run_beside_what_is_left_out(checks: Checks) -> None:
    library = simulator.Library(FOLDER / "particles.metal", checks=checks)
    assert library.kernel_names == ["move", "count"]
    particles = np.array([[0.5, 0, 1, 0.5], [0, 0, 0.25, 0.25]], np.float32)
    library.kernel("move").dispatch(
        threads=(2, 1, 1), group=(2, 1, 1), buffers=[particles, np.float32(1)]
    )
    np.testing.assert_array_equal(
        particles, [[1.5, 0.5, -1, 0.5], [0.25, 0.25, 0.25, 0.25]]
    )
    counts = np.zeros(1, np.uint32)
    library.kernel("count").dispatch(threads=ONE, group=ONE, buffers=[counts])
    text = (FOLDER / "particles.metal").read_text().splitlines()
    assert "__LINE__" in text[counts[0] - 1]


@pytest.mark.parametrize(
    ("name", "line", "feature"),
    [
        ("corner", "vertex Corner", "'vertex' is not supported: the simulator has no "),
        (
            "colour",
            "[[fragment]]",
            "'fragment' is not supported: the simulator has no ",
        ),
        ("blur_float", "kernel void blur", "'texture2d' is not supported: the "),
    ],
)
def test_what_is_left_out_is_refused_by_name(
    name: str, line: str, feature: str
) -> None:
    library = simulator.Library(FOLDER / "particles.metal")
    with pytest.raises(simulator.CompileError) as caught:
        library.kernel(name)
    text = (FOLDER / "particles.metal").read_text().splitlines()
    number = next(i for i, each in enumerate(text, 1) if each.startswith(line))
    assert str(caught.value).startswith(f"{FOLDER}/particles.metal:{number}: {feature}")


def test_a_kernel_that_misses_what_is_left_out_says_why() -> None:
    text = """
    #include <metal_stdlib>
    using namespace metal;
    float shade(texture2d<float> image) { return image.read(uint2(0)).x; }
    kernel void fill(device float* out [[buffer(0)]]) { out[0] = shade(out); }
    """
    with pytest.raises(simulator.CompileError) as caught:
        simulator.Library(text).kernel("fill")
    assert str(caught.value).endswith(
        "'shade' was left out: metal:4: 'texture2d' is not supported: the simulator "
        "has no textures, only compute kernels on buffers."
    )


@both_builds
def test_positions_named_outside_of_functions(checks: Checks) -> None:
    library = simulator.Library(FOLDER / "scope_values.metal", checks=checks)
    out = np.zeros(4, np.uint32)
    library.kernel("number").dispatch(threads=(4, 1, 1), group=(2, 1, 1), buffers=[out])
    np.testing.assert_array_equal(out, [32000, 32102, 32004, 32106])
    library.kernel("own_names").dispatch(
        threads=(4, 1, 1), group=(2, 1, 1), buffers=[out]
    )
    np.testing.assert_array_equal(out, [7, 7, 7, 7])
    library.kernel("members").dispatch(threads=4, group=2, buffers=[out])
    np.testing.assert_array_equal(out, [139, 1139, 2139, 3139])


def test_positions_declared_together_are_refused() -> None:
    text = """
uint index [[thread_position_in_grid]], lane [[thread_index_in_simdgroup]];
kernel void number(device uint* out [[buffer(0)]]) { out[index] = lane; }
"""
    with pytest.raises(simulator.CompileError, match="a declaration of its own"):
        simulator.Library(text)


@both_builds
def test_atomic_extremes_of_long_integers(checks: Checks) -> None:
    library = simulator.Library(FOLDER / "scope_values.metal", checks=checks)
    values = np.random.default_rng(4).integers(0, 2**63, 64).astype(np.uint64)
    extremes = np.array([2**64 - 1, 0], np.uint64)
    count = np.zeros(1, np.uint32)
    library.kernel("keep_extremes").dispatch(
        threads=(64, 1, 1), group=(32, 1, 1), buffers=[values, extremes, count]
    )
    assert list(extremes) == [values.min(), values.max()]
    assert count[0] == 64


@both_builds
def test_integer_vectors_divided_and_by_zero(checks: Checks) -> None:
    library = simulator.Library(FOLDER / "scope_values.metal", checks=checks)
    x = np.array([[7, -7, 9, 100], [2, 2, -4, 7]], np.int32)
    out = np.zeros((3, 4), np.int32)
    library.kernel("divide").dispatch(threads=ONE, group=ONE, buffers=[x, out])
    np.testing.assert_array_equal(
        out, [[3, -3, -2, 14], [1, -1, 1, 2], [66, 33, 16, 2]]
    )
    x[1, 2] = 0
    with pytest.raises(simulator.Violation) as caught:
        library.kernel("divide").dispatch(threads=ONE, group=ONE, buffers=[x, out])
    assert caught.value.kind == "arithmetic"


@both_builds
def test_texts_that_translators_write(checks: Checks) -> None:
    library = simulator.Library(FOLDER / "generated.metal", checks=checks)
    rows = np.zeros((8, 4), np.float32)
    weights = struct.pack("<I4f", 4, 10, 20, 30, 40)
    library.kernel("rows").dispatch(
        threads=(8, 1, 1), group=(8, 1, 1), buffers=[rows, weights, weights]
    )
    lanes = np.arange(8)
    expected = np.repeat(lanes.astype(np.float32)[:, None], 4, axis=1)
    expected[:, 1] = (lanes % 4 + 1) * 10 + 20 + 3 + 10
    expected[:, 2] = 3 + lanes % 2
    np.testing.assert_array_equal(rows, expected)

    source, target = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    library.kernel("shift").dispatch(
        threads=(8, 1, 1), group=(8, 1, 1), buffers=[source, target, np.uint32(32)]
    )
    np.testing.assert_array_equal(target, [1, 2, 3, 4, 5, 6, 7, 0])


def test_arrays_of_one_end_with_their_buffer() -> None:
    library = simulator.Library(FOLDER / "generated.metal", checks="all")
    source, target = np.zeros(4, np.float32), np.zeros(8, np.float32)
    with pytest.raises(simulator.Violation) as caught:
        library.kernel("shift").dispatch(
            threads=(8, 1, 1), group=(8, 1, 1), buffers=[source, target, np.uint32(32)]
        )
    assert caught.value.kind == "bounds"
    assert caught.value.buffer == "from"


@both_builds
def test_functions_that_take_vectors_apart(checks: Checks) -> None:
    library = simulator.Library(FOLDER / "conversions.metal", checks=checks)
    x = np.array([[0x1234, -2, 0x7FFF, 0], [0x00AB, 5, -32768, -1]], np.int16)
    y = np.array([[8, 3, 0.25, 1.5], [0, 0, 0, 0]], np.float32)
    out = np.zeros((5, 4), np.int32)
    out[3] = 0x01000002
    library.kernel("take_apart").dispatch(threads=ONE, group=ONE, buffers=[x, y, out])
    mantissas, exponents = np.frexp(y[0])
    np.testing.assert_array_equal(y[1], mantissas)
    bits = x.astype(np.int32)
    field = (bits[0] & ~0xFF0) | ((bits[1] & 0xFF) << 4)
    expected = [
        (bits[0] >> 4).astype(np.int8),
        field.astype(np.int16),
        np.abs(bits[0] - bits[1]) + 0x201 + bits[0],
        [3, 1, -2, 0],
        exponents,
    ]
    np.testing.assert_array_equal(out, expected)
