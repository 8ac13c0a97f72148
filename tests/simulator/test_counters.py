# SPDX-License-Identifier: MIT
"""Compares the counters of a dispatch with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from flash_attn_mps import simulator

HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"

TILED_PRODUCT = (
    HEADER
    + """
kernel void product(device const half* a [[buffer(0)]],
                    device const float* b [[buffer(1)]],
                    device float* d [[buffer(2)]],
                    constant uint& depth [[buffer(3)]],
                    device atomic_uint* done [[buffer(4)]],
                    uint2 group [[threadgroup_position_in_grid]],
                    uint2 groups [[threadgroups_per_grid]],
                    ushort simdgroup [[simdgroup_index_in_threadgroup]],
                    ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup half staged[2][64];
  simdgroup_half8x8 left;
  simdgroup_float8x8 right;
  simdgroup_float8x8 sum(0.0f);
  const uint width = 16 * groups.x;
  for (uint k = 0; k < depth; k += 8) {
    staged[simdgroup][lane] = a[(8 * group.y + lane / 8) * depth + k + lane % 8];
    staged[simdgroup][lane + 32] =
        a[(8 * group.y + lane / 8 + 4) * depth + k + lane % 8];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_load(left, staged[simdgroup], 8);
    simdgroup_load(right, b + k * width + 16 * group.x + 8 * simdgroup, width);
    simdgroup_multiply_accumulate(sum, left, right, sum);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  simdgroup_store(sum, d + 8 * group.y * width + 16 * group.x + 8 * simdgroup, width);
  if (simd_any(lane == 3) && simd_sum(1) == 32 && simd_shuffle_xor(lane, 1) == 0) {
    atomic_fetch_add_explicit(done, 1u, memory_order_relaxed);
  }
}"""
)


@pytest.mark.parametrize(("rows", "columns", "depth"), [(8, 16, 8), (24, 32, 40)])
@pytest.mark.parametrize("seed", [0, 9])
def test_counts_of_a_tiled_product_follow_its_sizes(
    rows: int, columns: int, depth: int, seed: int
) -> None:
    random = np.random.default_rng(1)
    a = random.integers(-2, 3, (rows, depth)).astype(np.float16)
    b = random.integers(-2, 3, (depth, columns)).astype(np.float32)
    d = simulator.empty((rows, columns), np.float32)
    done = np.zeros(1, np.uint32)
    kernel = simulator.Library(TILED_PRODUCT).kernel("product")
    report = kernel.dispatch(
        threads=(columns // 16 * 64, rows // 8),
        group=(64, 1),
        buffers=[a, b, d, np.uint32(depth), done],
        seed=seed,
    )
    np.testing.assert_array_equal(d, a.astype(np.float32) @ b)
    simdgroups = rows // 8 * (columns // 8)
    steps = depth // 8
    counts = report.counters
    assert done[0] == simdgroups
    expected = {
        "threadgroups": simdgroups // 2,
        "matrix_products": simdgroups * steps,
        "matrix_products.half_float_float": simdgroups * steps,
        "threadgroup_barriers": simdgroups // 2 * steps,
        "simdgroup_barriers": simdgroups * steps,
        "reductions": simdgroups,
        "votes": simdgroups,
        "shuffles": simdgroups,
        "atomics": simdgroups,
        "threadgroup_memory_bytes": 2 * 64 * 2,
        "bytes_loaded.a": simdgroups * steps * 64 * 2,
        "bytes_loaded.b": simdgroups * steps * 64 * 4,
        "bytes_loaded.depth": counts["constant_bytes_loaded"],
        "bytes_stored.d": rows * columns * 4,
        "device_bytes_loaded": simdgroups * steps * 64 * 6,
        "device_bytes_stored": rows * columns * 4,
        "threadgroup_bytes_stored": simdgroups * steps * 64 * 2,
        "threadgroup_bytes_loaded": simdgroups * steps * 64 * 2,
    }
    assert {name: counts[name] for name in expected} == expected


@pytest.mark.parametrize("stride", [1, 2, 8, 32, 100])
def test_lines_of_an_access_follow_its_stride(stride: int) -> None:
    source = (
        HEADER
        + """
kernel void gather(device const float* input [[buffer(0)]],
                   device float* output [[buffer(1)]],
                   constant uint& stride [[buffer(2)]],
                   uint i [[thread_position_in_grid]]) {
  output[i] = input[i * stride];
}"""
    )
    values = np.zeros(64 * stride, np.float32)
    output = np.zeros(64, np.float32)
    report = (
        simulator.Library(source)
        .kernel("gather")
        .dispatch(threads=64, group=64, buffers=[values, output, np.uint32(stride)])
    )
    lines = [
        len({lane * stride * 4 // 128 for lane in range(first, first + 32)})
        for first in (0, 32)
    ]
    counts = report.counters
    # Two loads of each simdgroup, from input and from the constant, and a store.
    assert counts["simdgroup_loads"] == 4
    assert counts["simdgroup_stores"] == 2
    assert counts["lines_stored"] == 2
    assert counts["lines_loaded"] == sum(lines) + 2


def test_every_occurrence_in_a_loop_is_an_access_of_its_own() -> None:
    source = (
        HEADER
        + """
kernel void rows(device const float* input [[buffer(0)]],
                 device float* output [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  float sum = 0.0f;
  for (uint row = 0; row < i % 4 + 2; ++row) {
    sum += input[32 * row + i];
  }
  output[i] = sum;
}"""
    )
    values = np.arange(160, dtype=np.float32)
    output = np.zeros(32, np.float32)
    report = (
        simulator.Library(source)
        .kernel("rows")
        .dispatch(threads=32, group=32, buffers=[values, output])
    )
    # Five rounds of the loop; each row of 32 floats is one line.
    assert report.counters["simdgroup_loads"] == 5
    assert report.counters["lines_loaded"] == 5
    assert report.counters["bytes_loaded.input"] == 8 * (2 + 3 + 4 + 5) * 4


@pytest.mark.parametrize("seed", [0, 9])
def test_lanes_on_two_paths_share_the_accesses_of_each_instruction(seed: int) -> None:
    source = (
        HEADER
        + """
kernel void checkered(device const float* even [[buffer(0)]],
                      device const float* odd [[buffer(1)]],
                      device float* output [[buffer(2)]],
                      uint i [[thread_position_in_grid]]) {
  float sum = 0.0f;
  for (uint row = 0; row < 6; ++row) {
    if ((row + i) % 2 == 0) {
      sum += even[32 * row + i];
    } else {
      sum -= odd[32 * row + i];
    }
  }
  output[i] = sum;
}"""
    )
    rows = [np.arange(192, dtype=np.float32) for _ in range(2)]
    report = (
        simulator.Library(source)
        .kernel("checkered")
        .dispatch(
            threads=32,
            group=32,
            buffers=[*rows, np.zeros(32, np.float32)],
            seed=seed,
        )
    )
    # Each lane comes three times to each load; the n-th time of the even lanes
    # is another row, and so another line, than that of the odd ones.
    assert report.counters["simdgroup_loads"] == 2 * 3
    assert report.counters["lines_loaded"] == 2 * 3 * 2


def test_fast_build_counts_nothing() -> None:
    source = HEADER + "kernel void nothing(device float* x [[buffer(0)]]) {}"
    library = simulator.Library(source, checks="none")
    report = library.kernel("nothing").dispatch(
        threads=1, group=1, buffers=[np.zeros(1, np.float32)]
    )
    assert report.counters == {}
