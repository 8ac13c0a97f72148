# SPDX-License-Identifier: MIT
"""Runs small kernels and compares what they compute with NumPy.

Threads, simdgroup functions, matrices and atomics, in the fast and in the checked
build, in natural and in drawn order, on both kinds of fibers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pytest

from flash_attn_mps import _simulator, simulator

Checks = Literal["all", "none"]

HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"
LANES = np.arange(32)


def run(
    source: str,
    buffers: Sequence[Any],
    *,
    checks: Checks = "all",
    threads: tuple[int, ...] = (32,),
    group: tuple[int, ...] = (32,),
    seed: int = 0,
) -> simulator.Report:
    """Compiles the only kernel of a text and runs it."""
    library = simulator.Library(HEADER + source, checks=checks)
    return library.kernel(library.kernel_names[0]).dispatch(
        threads=threads, group=group, buffers=buffers, seed=seed
    )


def collective_kernel(expression: str, dtype: str = "float") -> str:
    """A kernel that stores one expression of the lane's value x and its index."""
    return f"""
kernel void collect(device const {dtype}* input [[buffer(0)]],
                    device {dtype}* output [[buffer(1)]],
                    ushort lane [[thread_index_in_simdgroup]]) {{
  const {dtype} x = input[lane];
  output[lane] = {expression};
}}"""


X = (np.arange(32) * 7 % 13 + 1).astype(np.float32)
QUADS = X.reshape(8, 4)
COLLECTIVES = {
    "simd_sum(x)": np.full(32, X.sum()),
    "simd_max(x)": np.full(32, X.max()),
    "simd_min(x)": np.full(32, X.min()),
    "simd_prefix_inclusive_sum(x)": np.cumsum(X),
    "simd_prefix_exclusive_sum(x)": np.cumsum(X) - X,
    "simd_shuffle(x, ushort(31 - lane))": X[::-1],
    "simd_shuffle_xor(x, 9)": X[LANES ^ 9],
    "simd_shuffle_down(x, 3)": np.concatenate([X[3:], X[29:]]),
    "simd_shuffle_up(x, 3)": np.concatenate([X[:3], X[:29]]),
    "simd_shuffle_rotate_down(x, 3)": np.roll(X, -3),
    "simd_shuffle_rotate_up(x, 3)": np.roll(X, 3),
    "simd_shuffle_and_fill_down(x, x + 100, 3)": np.concatenate([X[3:], X[:3] + 100]),
    "simd_shuffle_and_fill_up(x, x + 100, 3)": np.concatenate([X[29:] + 100, X[:29]]),
    "simd_broadcast(x, 5)": np.full(32, X[5]),
    "simd_broadcast_first(x)": np.full(32, X[0]),
    "quad_sum(x)": np.repeat(QUADS.sum(1), 4),
    "quad_max(x)": np.repeat(QUADS.max(1), 4),
    "quad_shuffle_xor(x, 1)": X[LANES ^ 1],
    "quad_broadcast(x, 2)": np.repeat(QUADS[:, 2], 4),
    "float(simd_any(x > 12))": np.full(32, float((X > 12).any())),
    "float(simd_all(x > 0))": np.full(32, 1.0),
    "float(ulong(simd_ballot(x > 12)) >> lane & 1)": (X > 12).astype(np.float32),
    "simd_max(float2(x, -x)).y": np.full(32, -X.min()),
}


@pytest.mark.parametrize("checks", ["all", "none"])
def test_simdgroup_functions_agree_with_numpy(checks: Checks) -> None:
    lines = "\n".join(
        f"  output[{32 * i} + lane] = {text};" for i, text in enumerate(COLLECTIVES)
    )
    output = np.zeros(32 * len(COLLECTIVES), np.float32)
    run(
        f"""
kernel void collect(device const float* input [[buffer(0)]],
                    device float* output [[buffer(1)]],
                    ushort lane [[thread_index_in_simdgroup]]) {{
  const float x = input[lane];
{lines}
}}""",
        [X, output],
        checks=checks,
    )
    for name, got in zip(COLLECTIVES, output.reshape(-1, 32), strict=True):
        np.testing.assert_array_equal(got, COLLECTIVES[name], err_msg=name)


@pytest.mark.parametrize(
    ("name", "operation"),
    [("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)],
)
def test_bitwise_reductions_agree_with_numpy(name: str, operation: np.ufunc) -> None:
    values = (LANES * 2654435761 % 2**32).astype(np.uint32) | np.uint32(64)
    output = np.zeros(32, np.uint32)
    run(collective_kernel(f"simd_{name}(x)", "uint"), [values, output])
    np.testing.assert_array_equal(output, operation.reduce(values))


MATRIX_KERNEL = """
kernel void multiply(device const {a}* a [[buffer(0)]],
                     device const {b}* b [[buffer(1)]],
                     device {d}* d [[buffer(2)]]) {{
  simdgroup_matrix<{a}, 8, 8> left;
  simdgroup_matrix<{b}, 8, 8> right;
  simdgroup_matrix<{d}, 8, 8> sum = make_filled_simdgroup_matrix<{d}, 8, 8>({d}(2));
  for (int k = 0; k < 3; ++k) {{
    simdgroup_load(left, a + 8 * k, 24);
    simdgroup_load(right, b + 8 * k, 24, ulong2(0), true);
    simdgroup_multiply_accumulate(sum, left, right, sum);
  }}
  sum.thread_elements()[0] *= {d}(2);
  sum.thread_elements()[1] *= {d}(2);
  simdgroup_multiply_accumulate(sum, left, right, sum);
  simdgroup_store(sum, d, 8);
}}"""


@pytest.mark.parametrize("checks", ["all", "none"])
@pytest.mark.parametrize(
    ("a", "b", "d"),
    [("float", "float", "float"), ("half", "float", "float"), ("half", "half", "half")],
)
def test_matrix_products_are_exact_on_small_integers(
    a: str, b: str, d: str, checks: Checks
) -> None:
    dtypes = {"float": np.float32, "half": np.float16}
    random = np.random.default_rng(5)
    left = random.integers(-3, 4, (8, 24)).astype(dtypes[a])
    right = random.integers(-3, 4, (8, 24)).astype(dtypes[b])
    result = np.zeros((8, 8), dtypes[d])
    run(MATRIX_KERNEL.format(a=a, b=b, d=d), [left, right, result], checks=checks)
    wide_left, wide_right = left.astype(np.float64), right.astype(np.float64)
    expected = 2 * (wide_left @ wide_right.T + 2)
    expected += wide_left[:, 16:] @ wide_right[:, 16:].T
    np.testing.assert_array_equal(result, expected)


DIVERGENT_ELEMENTS = """
kernel void multiply(device const float* a [[buffer(0)]],
                     device float* d [[buffer(1)]],
                     ushort lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 left, sum(0.0f);
  simdgroup_load(left, a, 8);
  simdgroup_multiply_accumulate(sum, left, left, sum);
  if (lane % 3 == 0) {
    sum.thread_elements()[0] += 100.0f;
  }
  simdgroup_multiply_accumulate(sum, left, left, sum);
  if (lane == 5) {
    sum.thread_elements()[1] = -1.0f;
  }
  simdgroup_float8x8 copy = sum;
  simdgroup_multiply(sum, left, copy);
  simdgroup_store(copy, d, 8);
  simdgroup_store(sum, d + 64, 8);
}"""


def lane_positions() -> Iterator[tuple[int, int, int]]:
    """Lane, row and column of the first of its two elements."""
    for lane in range(32):
        row = (lane >> 2 & 4) + (lane >> 1 & 3)
        yield lane, row, (lane >> 2 & 2) * 2 + (lane & 1) * 2


@pytest.mark.parametrize("checks", ["all", "none"])
def test_some_lanes_may_change_their_elements_between_products(
    checks: Checks,
) -> None:
    left = np.random.default_rng(6).integers(-3, 4, (8, 8)).astype(np.float32)
    result = np.zeros((2, 8, 8), np.float32)
    run(DIVERGENT_ELEMENTS, [left, result], checks=checks)
    expected = left @ left
    for lane, row, column in lane_positions():
        expected[row, column] += 100 * (lane % 3 == 0)
    expected += left @ left
    expected[2, 3] = -1.0  # lane 5 holds (2, 2) and (2, 3)
    np.testing.assert_array_equal(result[0], expected)
    np.testing.assert_array_equal(result[1], left @ expected)


GRID_KERNEL = """
kernel void number(device uint* output [[buffer(0)]],
                   uint3 at [[thread_position_in_grid]],
                   uint3 grid [[threads_per_grid]],
                   uint3 group [[threadgroup_position_in_grid]],
                   uint3 inside [[thread_position_in_threadgroup]],
                   uint3 size [[dispatch_threads_per_threadgroup]]) {
  const bool agrees = all(at == group * size + inside);
  output[(at.z * grid.y + at.y) * grid.x + at.x] =
      agrees ? at.x + 100 * at.y + 10000 * at.z : 0u;
}"""


@pytest.mark.parametrize("seed", [0, 3])
def test_partial_threadgroups_cover_a_grid_of_three_extents(seed: int) -> None:
    output = np.zeros((5, 7, 11), np.uint32)
    run(GRID_KERNEL, [output], threads=(11, 7, 5), group=(4, 3, 2), seed=seed)
    z, y, x = np.indices(output.shape)
    np.testing.assert_array_equal(output, x + 100 * y + 10000 * z)


SCAN_KERNEL = """
kernel void scan(device const float* input [[buffer(0)]],
                 device float* output [[buffer(1)]],
                 device atomic_uint* count [[buffer(2)]],
                 uint index [[thread_index_in_threadgroup]],
                 uint group [[threadgroup_position_in_grid]],
                 uint simdgroup [[simdgroup_index_in_threadgroup]],
                 uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float totals[4];
  const float x = input[group * 128 + index];
  const float inclusive = simd_prefix_inclusive_sum(x);
  if (lane == 31) {
    totals[simdgroup] = inclusive;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float before = 0.0f;
  for (uint other = 0; other < simdgroup; ++other) {
    before += totals[other];
  }
  output[group * 128 + index] = before + inclusive;
  atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
}"""


@pytest.mark.parametrize("seed", [0, 1, 2, 12345])
@pytest.mark.parametrize("checks", ["all", "none"])
def test_result_does_not_depend_on_the_order_of_lanes(
    seed: int, checks: Checks
) -> None:
    values = (np.arange(1280) % 5).astype(np.float32)
    output = np.zeros(1280, np.float32)
    count = np.zeros(1, np.uint32)
    run(
        SCAN_KERNEL,
        [values, output, count],
        threads=(1280,),
        group=(128,),
        checks=checks,
        seed=seed,
    )
    expected = np.cumsum(values.reshape(10, 128), axis=1).ravel()
    np.testing.assert_array_equal(output, expected)
    assert count[0] == 1280


def test_slow_fibers_compute_the_same() -> None:
    values = (np.arange(256) % 5).astype(np.float32)
    output = np.zeros(256, np.float32)
    count = np.zeros(1, np.uint32)
    _simulator.use_slow_fibers(True)
    try:
        run(SCAN_KERNEL, [values, output, count], threads=(256,), group=(128,))
    finally:
        _simulator.use_slow_fibers(False)
    expected = np.cumsum(values.reshape(2, 128), axis=1).ravel()
    np.testing.assert_array_equal(output, expected)


BRANCH_KERNEL = """
kernel void branch(device float* output [[buffer(0)]],
                   ushort lane [[thread_index_in_simdgroup]]) {
  float total;
  if (lane < 10) {
    total = simd_sum(float(lane));
  } else {
    total = simd_sum(float(lane));
  }
  float loops = 0.0f;
  for (ushort i = 0; i < lane % 4; ++i) {
    loops += float(simd_sum(1));
  }
  output[lane] = total + 1000.0f * loops;
}"""


@pytest.mark.parametrize("checks", ["all", "none"])
def test_reduction_in_divergent_flow_takes_the_active_lanes(checks: Checks) -> None:
    output = np.zeros(32, np.float32)
    report = run(BRANCH_KERNEL, [output], checks=checks)
    total = np.where(LANES < 10, LANES[:10].sum(), LANES[10:].sum())
    active = np.array([0, 24, 24 + 16, 24 + 16 + 8])[LANES % 4]
    np.testing.assert_array_equal(output, total + 1000 * active)
    assert not report.violations
    if checks == "all":
        assert {note.kind for note in report.notes} == {"divergence"}


@pytest.mark.parametrize("checks", ["all", "none"])
def test_barrier_that_some_threads_never_reach_ends_in_a_report(
    checks: Checks,
) -> None:
    source = """
kernel void leave(device float* output [[buffer(0)]],
                  uint index [[thread_index_in_threadgroup]]) {
  if (index == 40) {
    return;
  }
  threadgroup_barrier(mem_flags::mem_none);
  output[index] = 1.0f;
}"""
    output = np.zeros(64, np.float32)
    with pytest.raises(simulator.Violation, match="63 of 64 threads wait") as caught:
        run(source, [output], threads=(64,), group=(64,), checks=checks)
    assert caught.value.kind == "divergence"
    assert caught.value.line == 9


def test_fast_math_is_a_build_of_its_own() -> None:
    source = (
        HEADER
        + """
kernel void classify(device const float* input [[buffer(0)]],
                     device float* output [[buffer(1)]],
                     uint i [[thread_position_in_grid]]) {
  output[i] = input[i] != input[i] ? 1.0f : 0.0f;
}"""
    )
    values = np.array([np.nan, 1.0], np.float32)
    results = {}
    for fast_math in (False, True):
        library = simulator.Library(source, checks="none", fast_math=fast_math)
        output = np.full(2, 7, np.float32)
        library.kernel("classify").dispatch(
            threads=2, group=2, buffers=[values, output]
        )
        results[fast_math] = output
    np.testing.assert_array_equal(results[False], [1.0, 0.0])
    np.testing.assert_array_equal(results[True], [0.0, 0.0])
