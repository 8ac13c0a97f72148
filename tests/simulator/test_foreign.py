# SPDX-License-Identifier: MIT
"""Kernels in the styles of public Metal projects, run unedited under all checkers.

The kernels are our own; each result is compared with NumPy.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from flash_attn_mps import simulator

FOLDER = Path(__file__).parent / "foreign"
Array = NDArray[Any]


def kernel(file: str, name: str, **options: Any) -> simulator.Kernel:
    """A kernel of a file in the folder, all checkers on."""
    path = FOLDER / f"{file}.metal"
    options.setdefault("checks", "all")
    return simulator.Library(path, include_paths=[FOLDER], **options).kernel(name)


def random(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    """Normal numbers from a seed that a failure shows."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def to_bfloat(values: Array) -> NDArray[np.uint16]:
    """Bits of the nearest bfloat, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat(bits: Array) -> NDArray[np.float32]:
    """The floats that bfloat bits stand for."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize(
    ("name", "tolerance"), [("float32", 1e-6), ("float16", 1e-3), ("bfloat16", 8e-3)]
)
def test_row_softmax_of_each_type_agrees_with_numpy(
    name: str, tolerance: float
) -> None:
    x = random(3, 203)
    is_bfloat = name == "bfloat16"
    given = to_bfloat(x) if is_bfloat else x.astype(name)
    out = np.zeros_like(given)
    for instance in ("row_softmax_", "row_softmax_wide_"):
        kernel("row_softmax", instance + name).dispatch(
            threads=(3 * 64, 1, 1),
            group=(64, 1, 1),
            buffers=[given, out, np.int32(203)],
        )
        exact = np.exp(from_bfloat(given) if is_bfloat else given.astype(np.float64))
        exact = exact / exact.sum(1, keepdims=True)
        got = from_bfloat(out) if is_bfloat else out
        np.testing.assert_allclose(got, exact, rtol=tolerance, atol=1e-7)


@pytest.mark.parametrize("has_bias", [False, True, None])
def test_quantised_product_with_function_constants(has_bias: bool | None) -> None:
    rows, columns = 5, 2080
    rng = np.random.default_rng(1)
    scale = rng.uniform(0.1, 1, (rows, columns // 32)).astype(np.float16)
    values = rng.integers(0, 16, (rows, columns // 32, 32)).astype(np.uint8)
    nibbles = values[..., :16] | (values[..., 16:] << 4)
    weights = np.concatenate(
        [scale[..., None].view(np.uint8), nibbles], axis=-1
    ).reshape(-1)
    vector, bias = random(columns), random(rows, seed=2)
    out = np.zeros(rows, np.float32)
    arguments = struct.pack("<iiQ", columns, rows, columns // 32 * 18)
    constants: dict[int, bool | int | float] = {600: 2}
    if has_bias is not None:
        constants[601] = has_bias
    kernel("quantized_matvec", "matvec_q4_f32", constants=constants).dispatch(
        threads=(64 * rows, 1, 1),
        group=(64, 1, 1),
        buffers=[arguments, weights, vector, out, None, None, None, bias],
        threadgroup_bytes=[8],
    )
    matrix = (values.astype(np.float64) - 8) * scale[..., None]
    expected = matrix.reshape(rows, columns) @ vector + (bias if has_bias else 0)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    ("name", "dtype", "descending"),
    [
        ("sort_float_up", np.float32, False),
        ("sort_int_down", np.int32, True),
        ("sort_ushort_up", np.uint16, False),
    ],
)
def test_block_sort_orders_each_block(
    name: str, dtype: type[np.generic], descending: bool
) -> None:
    data = (random(2, 128) * 1000).astype(dtype)
    expected = np.sort(data, axis=1)
    kernel("block_sort", name).dispatch(
        threads=(256, 1, 1),
        group=(128, 1, 1),
        buffers=[data],
        threadgroup_bytes=[128 * data.itemsize],
    )
    np.testing.assert_array_equal(data, expected[:, ::-1] if descending else expected)


def test_a_limit_that_depends_on_template_parameters_is_enforced() -> None:
    report = kernel("block_sort", "sort_float_up").dispatch(
        threads=(256, 1, 1),
        group=(256, 1, 1),
        buffers=[random(256)],
        threadgroup_bytes=[1024],
        raise_on_violation=False,
    )
    assert [violation.kind for violation in report.violations] == ["limit"]


def test_histogram_counts_with_atomics_of_both_memories() -> None:
    values = np.random.default_rng(3).integers(0, 256, 3000).astype(np.uint8)
    counts = np.zeros(16, np.uint32)
    kernel("histogram", "histogram").dispatch(
        threads=(256, 1, 1),
        group=(64, 1, 1),
        buffers=[values, counts, np.uint32(values.size)],
    )
    np.testing.assert_array_equal(counts, np.bincount(values & 15, minlength=16))


def test_compare_and_exchange_finds_the_maximum() -> None:
    values = np.abs(random(100))
    best = np.zeros(1, np.uint32)
    kernel("histogram", "float_maximum").dispatch(
        threads=(100, 1, 1), group=(32, 1, 1), buffers=[values, best]
    )
    assert best.view(np.float32)[0] == values.max()


@pytest.mark.parametrize("suffix", ["", "_template"])
def test_kernels_built_by_macros_cast_between_all_types(suffix: str) -> None:
    x = random(50) * 3

    def cast(name: str, given: Array, out: Array) -> Array:
        kernel("histogram", name + suffix).dispatch(
            threads=(64, 1, 1), group=(32, 1, 1), buffers=[given, out, np.uint64(50)]
        )
        return out

    halves = x.astype(np.float16)
    got = cast("cast_f16_bf16", halves, np.zeros(50, np.uint16))
    np.testing.assert_array_equal(got, to_bfloat(halves.astype(np.float32)))
    back = cast("cast_bf16_f16", got, np.zeros(50, np.float16))
    np.testing.assert_array_equal(back, from_bfloat(got).astype(np.float16))
    got = cast("cast_f32_u8", np.abs(x), np.zeros(50, np.uint8))
    np.testing.assert_array_equal(got, np.abs(x).astype(np.uint8))
    got = cast("cast_i64_f32", np.arange(50) << 33, np.zeros(50, np.float32))
    np.testing.assert_array_equal(got, (np.arange(50) << 33).astype(np.float32))


@pytest.mark.parametrize(
    ("name", "dtype", "tolerance"),
    [
        ("layer_norm_f32", np.float32, 1e-5),
        ("rms_norm_f16", np.float16, 2e-3),
        ("layer_norm_bf16", np.uint16, 2e-2),
    ],
)
def test_norms_with_lambdas_and_vectors(
    name: str, dtype: type[np.generic], tolerance: float
) -> None:
    x = random(3, 148)
    given = to_bfloat(x) if dtype is np.uint16 else x.astype(dtype)
    out = np.zeros_like(given)
    kernel("layer_norm", name).dispatch(
        threads=(32, 3, 1),
        group=(32, 1, 1),
        buffers=[given, out, struct.pack("<Ifff", 148, 1e-5, 1.5, 0.25)],
    )
    exact = (from_bfloat(given) if dtype is np.uint16 else given).astype(np.float64)
    if name.startswith("layer"):
        exact = exact - exact.mean(1, keepdims=True)
    exact = exact / np.sqrt((exact**2).mean(1, keepdims=True) + 1e-5)
    got = from_bfloat(out) if dtype is np.uint16 else out
    np.testing.assert_allclose(got, exact * 1.5 + 0.25, rtol=tolerance, atol=tolerance)


def test_copies_between_layouts_with_deduced_template_arguments() -> None:
    source = random(3, 4, 5)
    view = source.transpose(2, 0, 1)
    out = np.zeros(view.shape, np.float16)
    kernel("strided_copy", "copy_g_float_half").dispatch(
        threads=(60, 1, 1),
        group=(32, 1, 1),
        buffers=[
            source,
            out,
            np.array(view.shape, np.uint32),
            np.array(view.strides, np.int64) // 4,
            np.int32(3),
        ],
    )
    np.testing.assert_array_equal(out, view.astype(np.float16))


def test_arrays_inside_of_constant_structs_on_a_three_dimensional_grid() -> None:
    source = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
    view = source.transpose(1, 2, 0)
    out = np.zeros(view.shape, np.int16)
    strides = [stride // 2 for stride in view.strides]
    parameters = struct.pack("<3I4x3qI4x", *view.shape, *strides, 3)
    kernel("strided_copy", "copy_struct_short").dispatch(
        threads=(5, 4, 3), group=(5, 2, 1), buffers=[source, out, parameters]
    )
    np.testing.assert_array_equal(out, view)


@pytest.mark.parametrize(
    ("name", "dtype", "scan"),
    [
        ("scan_sum_f32", np.float32, np.cumsum),
        ("scan_max_i32", np.int32, np.maximum.accumulate),
        ("scan_sum_u64", np.uint64, np.cumsum),
    ],
)
def test_scans_of_rows_longer_than_a_threadgroup(
    name: str, dtype: type[np.generic], scan: Any
) -> None:
    x = np.abs(random(2, 150) * 100).astype(dtype)
    out = np.zeros_like(x)
    kernel("prefix_scan", name).dispatch(
        threads=(64, 2, 1), group=(64, 1, 1), buffers=[x, out, np.uint64(150)]
    )
    np.testing.assert_allclose(out, scan(x, axis=1), rtol=1e-5)


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_products_of_fragment_tiles(
    dtype: type[np.floating[Any]], is_transposed: bool
) -> None:
    a, b = random(16, 48).astype(dtype), random(48, 16, seed=4).astype(dtype)
    given = np.ascontiguousarray(b.T) if is_transposed else b
    out = np.zeros((16, 16), np.float32)
    name = "tile_product_f32" if dtype is np.float32 else "tile_product_f16"
    kernel("tile_product", name).dispatch(
        threads=(32, 1, 1),
        group=(32, 1, 1),
        buffers=[a, given, out, np.int32(48), np.bool_(is_transposed)],
    )
    exact = a.astype(np.float64) @ b.astype(np.float64) / 2
    np.testing.assert_allclose(out, exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("block", [32, 64, 128])
def test_values_with_their_index_are_reduced(block: int) -> None:
    x = random(2, 150)
    largest = np.zeros(2, np.float32)
    grid: dict[str, Any] = {"threads": (2 * block, 1, 1), "group": (block, 1, 1)}
    kernel("indexed_reduce", "maximum_f32").dispatch(
        buffers=[np.uint32(150), x, largest], **grid
    )
    np.testing.assert_array_equal(largest, x.max(1))
    bits = to_bfloat(x)
    integers = (x * 1e12).astype(np.int64)
    cases: list[tuple[str, Array, Array, np.dtype[Any]]] = [
        ("argmax_f32", x, x, np.dtype([("i", "<u4"), ("val", "<f4")])),
        (
            "argmax_i64",
            integers,
            integers,
            np.dtype([("i", "<u4"), ("gap", "<u4"), ("val", "<i8")]),
        ),
        (
            "argmax_bf16",
            bits,
            from_bfloat(bits),
            np.dtype([("i", "<u4"), ("val", "<u2"), ("gap", "<u2")]),
        ),
    ]
    for name, given, values, dtype in cases:
        out = np.zeros(2, dtype)
        # The padding of {uint, bfloat} is copied and never written; to a checker
        # that sees bytes, not types, that is an uninitialised read.
        checks = "none" if name == "argmax_bf16" else "all"
        kernel("indexed_reduce", name, checks=checks).dispatch(
            buffers=[np.uint32(150), given, out], **grid
        )
        np.testing.assert_array_equal(out["i"], values.argmax(1))


def test_matrices_are_assigned_in_every_address_space() -> None:
    source = np.arange(32, dtype=np.float16).reshape(2, 4, 4)
    tiles, first = np.zeros_like(source), np.zeros((2, 4), np.float16)
    kernel("matrix_exchange", "matrix_exchange").dispatch(
        threads=(2, 1, 1),
        group=(2, 1, 1),
        buffers=[source, tiles, first],
        threadgroup_bytes=[64],
    )
    np.testing.assert_array_equal(tiles, source[::-1])
    np.testing.assert_array_equal(first, source[::-1, 0])


def test_vector_forms_give_the_results_worked_out_by_hand() -> None:
    packed = struct.pack("<3f2h4f", 1, 2, 3, 7, 8, 0, 0, 0, 0)
    out = np.zeros((16, 4), np.float32)
    kernel("vector_forms", "vector_forms").dispatch(
        threads=(1, 1, 1),
        group=(1, 1, 1),
        buffers=[
            out,
            np.frombuffer(packed, np.uint8).copy(),
            struct.pack("<3f2h4f", 1, 2, 3, 0, 0, 10, 20, 30, 40),
        ],
        threadgroup_bytes=[16],
    )
    expected = [
        (1, 2, 9, 4),
        (3, 2, 1, 0.5),
        (1, 1, 0, 0),
        (1, 2, 2, 1),
        (14, 13, 2, 1),
        (2, 5, 7, 10),
        (0, 7, 4, 3),
        (1, 0, 1, 5),
        (-1, -2, 3, 0),
        (1, 2, 3, 8),
        (32, 23, 14, 41),
        (6, 2, 2, 9),
        (2, 2, 2, 2),
        (20, -5, 10, -5),
        (21, 7, 0, 5),
        (1, 1.015625, 226 * 2.0**120, -0.0),
    ]
    np.testing.assert_allclose(out, np.array(expected, np.float32), rtol=1e-6)


def reference(name: str, x: Array) -> Array:
    """NumPy's meaning of a function of function_table.metal."""
    y = x[::-1]
    wide = x.astype(object)
    bits = x.dtype.itemsize * 8
    unsigned: dict[str, Any] = {
        "clz": lambda v: bits - int(v).bit_length(),
        "ctz": lambda v: (int(v) & -int(v)).bit_length() - 1 if v else bits,
        "popcount": lambda v: bin(int(v)).count("1"),
        "reverse_bits": lambda v: int(f"{int(v):0{bits}b}"[::-1], 2),
    }
    pairs: dict[str, Any] = {
        "absdiff": lambda a, b: abs(a - b),
        "addsat": lambda a, b: min(a + b, 255),
        "hadd": lambda a, b: (a + b) >> 1,
        "mulhi": lambda a, b: (a * b) >> 32,
        "rhadd": lambda a, b: (a + b + 1) >> 1,
        "rotate": lambda a, b: ((a << b % 32) | (a >> (32 - b % 32))) & 0xFFFFFFFF,
        "subsat": lambda a, b: max(min(a - b, 32767), -32768),
    }
    if name in unsigned:
        return np.array([unsigned[name](v) for v in x], x.dtype)
    if name in pairs:
        values = [
            int(pairs[name](int(a), int(b))) for a, b in zip(wide, y, strict=True)
        ]
        return np.array(values, x.dtype)
    functions: dict[str, Any] = {
        "acos": np.arccos,
        "acosh": np.arccosh,
        "asin": np.arcsin,
        "asinh": np.arcsinh,
        "atan": np.arctan,
        "atanh": np.arctanh,
        "exp10": lambda v: 10.0**v,
        "rsqrt": lambda v: 1 / np.sqrt(v),
        "saturate": lambda v: np.clip(v, 0, 1),
    }
    two: dict[str, Any] = {
        "atan2": np.arctan2,
        "copysign": np.copysign,
        "fmax": np.fmax,
        "fmin": np.fmin,
        "fmod": np.fmod,
        "max": np.maximum,
        "min": np.minimum,
        "pow": np.power,
        "powr": np.power,
        "step": lambda a, b: (b >= a).astype(a.dtype),
    }
    floating = x.astype(np.float64) if x.dtype.kind == "f" else x
    if name in two:
        return np.asarray(two[name](floating, floating[::-1]))
    function = functions.get(name) or getattr(np, name)
    return np.asarray(function(floating))


TYPES: dict[str, Any] = {
    "float": np.float32,
    "half": np.float16,
    "uint": np.uint32,
    "ushort": np.uint16,
    "ulong": np.uint64,
    "uchar": np.uint8,
    "int": np.int32,
    "long": np.int64,
    "short": np.int16,
}


def function_names() -> list[str]:
    """Kernel names in the order of the file."""
    lines = (FOLDER / "function_table.metal").read_text().splitlines()
    calls = [line for line in lines if line.startswith(("UNARY", "BINARY"))]
    return [
        "_".join(part.strip() for part in call[call.index("(") + 1 : -1].split(","))
        for call in calls
    ]


@pytest.fixture(scope="module")
def function_table() -> simulator.Library:
    return simulator.Library(FOLDER / "function_table.metal", checks="none")


@pytest.mark.parametrize("name", function_names())
def test_each_function_agrees_with_numpy(
    function_table: simulator.Library, name: str
) -> None:
    function, type_name = name.rsplit("_", 1)
    dtype = TYPES[type_name]
    rng = np.random.default_rng(5)
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        x = rng.integers(limits.min, limits.max, 64, dtype=dtype, endpoint=True)
        x[:3] = (limits.min, limits.max, 0)
    else:
        ranges = {
            "acosh": (1, 9),
            "acos": (-1, 1),
            "asin": (-1, 1),
            "atanh": (-0.9, 0.9),
        }
        is_positive = function in {
            "log",
            "log2",
            "log10",
            "rsqrt",
            "sqrt",
            "pow",
            "powr",
        }
        low, high = ranges.get(function, (0.1, 4) if is_positive else (-4, 4))
        x = rng.uniform(low, high, 64).astype(dtype)
    out = np.zeros_like(x)
    function_table.kernel(name).dispatch(
        threads=(64, 1, 1), group=(64, 1, 1), buffers=[x, out]
    )
    expected = reference(function, x)
    if x.dtype.kind == "f":
        tolerance = 1e-3 if type_name == "half" else 2e-6
        np.testing.assert_allclose(out, expected, rtol=tolerance, atol=1e-6)
    else:
        np.testing.assert_array_equal(out, expected)
