# SPDX-License-Identifier: MIT
"""What reaches Python of a report, and what the interface itself refuses."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from flash_attn_mps import simulator

HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"

COPY = (
    HEADER
    + """kernel void copy(device const float* input [[buffer(0)]],
                 device float* output [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  output[i] = input[i];
}
"""
)


def copy_kernel() -> simulator.Kernel:
    """A kernel that copies one float per thread."""
    return simulator.Library(COPY).kernel("copy")


def test_violation_is_an_exception_with_the_place_of_the_fault() -> None:
    source = np.zeros(40, np.float32)
    target = np.zeros(64, np.float32)
    with pytest.raises(simulator.Violation) as caught:
        copy_kernel().dispatch(threads=64, group=32, buffers=[source, target])
    violation = caught.value
    assert isinstance(violation, RuntimeError)
    assert (violation.kind, violation.line) == ("bounds", 6)
    assert (violation.buffer, violation.buffer_index) == ("input", 0)
    assert violation.offset == 160
    assert violation.threadgroup == (1, 0, 0)
    assert (violation.simdgroup, violation.lane) == (0, 8)
    assert violation.other is None
    assert str(violation) == (
        "bounds violation in kernel copy at metal:6: a read of 4 bytes outside the "
        "buffer of 160 bytes (input, byte offset 160), by threadgroup (1, 0, 0), "
        "simdgroup 0, lane 8."
    )


def test_fault_stops_the_dispatch_before_memory_is_touched() -> None:
    memory = np.arange(64, dtype=np.float32)
    report = copy_kernel().dispatch(
        threads=32,
        group=32,
        buffers=[np.full(32, 7, np.float32), memory[:16]],
        raise_on_violation=False,
    )
    assert [v.kind for v in report.violations] == ["bounds"]
    np.testing.assert_array_equal(memory[16:], np.arange(16, 64))


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("output[i + 64] = x;", "bounds"),
        ("output[i] = 1 / (int(i) - int(i));", "arithmetic"),
        ("*(device float*)((device char*)output + 1) = x;", "alignment"),
    ],
)
def test_violations_come_in_the_order_of_a_lane(fault: str, kind: str) -> None:
    source = (
        HEADER
        + f"""kernel void faults(device float* output [[buffer(0)]],
                   uint i [[thread_index_in_threadgroup]]) {{
  threadgroup float tile[32];
  float x = tile[i];
  output[i] = x;
  {fault}
}}
"""
    )
    report = (
        simulator.Library(source)
        .kernel("faults")
        .dispatch(
            threads=32,
            group=32,
            buffers=[np.zeros(32, np.float32)],
            raise_on_violation=False,
        )
    )
    assert [v.kind for v in report.violations] == ["uninitialised", kind]


def test_report_of_a_race_names_the_other_access() -> None:
    source = (
        HEADER
        + """kernel void race(device float* output [[buffer(0)]],
                 uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[i] = float(i);
  output[i] = tile[63 - i];
}
"""
    )
    output = simulator.empty(64, np.float32)
    report = (
        simulator.Library(source)
        .kernel("race")
        .dispatch(
            threads=64, group=64, buffers=[output], raise_on_violation=False, seed=4
        )
    )
    assert {v.kind for v in report.violations} == {"race"}
    for violation in report.violations:
        assert violation.buffer == "tile"
        assert violation.buffer_index is None
        assert violation.other is not None
        assert {violation.line, violation.other[1]} == {6, 7}
        assert violation.other[3] != violation.simdgroup


def test_order_by_a_collective_alone_is_a_note() -> None:
    source = (
        HEADER
        + """kernel void exchange(device float* output [[buffer(0)]],
                     ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup float tile[32];
  tile[lane] = float(lane);
  const float sum = simd_sum(1.0f);
  output[lane] = sum + tile[31 - lane];
}
"""
    )
    output = simulator.empty(32, np.float32)
    report = (
        simulator.Library(source)
        .kernel("exchange")
        .dispatch(threads=32, group=32, buffers=[output])
    )
    assert not report.violations
    assert {(note.kind, note.line) for note in report.notes} == {("race", 8)}


def test_device_race_between_threadgroups_names_both() -> None:
    source = (
        HEADER
        + """kernel void shift(device float* x [[buffer(0)]],
                  uint i [[thread_position_in_grid]]) {
  x[i + 1] = float(i);
  x[i] += 1.0f;
}
"""
    )
    with pytest.raises(simulator.Violation) as caught:
        simulator.Library(source).kernel("shift").dispatch(
            threads=64, group=32, buffers=[np.zeros(65, np.float32)]
        )
    violation = caught.value
    assert (violation.kind, violation.buffer, violation.offset) == ("race", "x", 128)
    assert violation.other is not None
    assert {violation.threadgroup, violation.other[2]} == {(0, 0, 0), (1, 0, 0)}


def test_unread_part_of_an_empty_array_stays_uninitialised() -> None:
    array = simulator.empty((4, 8), np.float32)
    kernel = copy_kernel()
    ones = np.ones(16, np.float32)
    kernel.dispatch(threads=16, group=16, buffers=[ones, array])
    target = np.zeros(32, np.float32)
    kernel.dispatch(threads=16, group=16, buffers=[array, target])
    with pytest.raises(simulator.Violation) as caught:
        kernel.dispatch(threads=32, group=32, buffers=[array, target])
    assert (caught.value.kind, caught.value.offset) == ("uninitialised", 64)
    array[2:] = 3
    kernel.dispatch(threads=32, group=32, buffers=[array, target])
    np.testing.assert_array_equal(target, [1] * 16 + [3] * 16)


@pytest.mark.parametrize("checks", ["all", "none"])
def test_unbound_buffer_that_is_not_used_does_no_harm(checks: Any) -> None:
    source = (
        HEADER
        + """kernel void maybe(device float* output [[buffer(0)]],
                  device const float* bias [[buffer(1)]],
                  constant uint& use [[buffer(2)]]) {
  output[0] = use != 0 ? bias[1] : 1.0f;
}
"""
    )
    kernel = simulator.Library(source, checks=checks).kernel("maybe")
    output = np.zeros(1, np.float32)
    kernel.dispatch(threads=1, group=1, buffers=[output, None, np.uint32(0)])
    assert output[0] == 1.0
    if checks == "all":
        with pytest.raises(simulator.Violation, match="buffer index 1"):
            kernel.dispatch(threads=1, group=1, buffers=[output, None, np.uint32(1)])


def test_text_of_a_file_is_named_by_its_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "copy_rows.metal"
    path.write_text(COPY)
    kernel = simulator.Library(path).kernel("copy")
    with pytest.raises(simulator.Violation) as caught:
        kernel.dispatch(threads=2, group=2, buffers=[np.zeros(1, np.float32)] * 2)
    assert caught.value.file == str(path)
    assert caught.value.line == 6


def test_source_that_does_not_compile_is_an_error_with_its_line() -> None:
    with pytest.raises(simulator.CompileError, match=r"metal:3:\d+: .*missing"):
        simulator.Library(
            HEADER + "kernel void bad(device float* x [[buffer(0)]]) { missing(x); }\n"
        ).kernel("bad")


def test_wrong_arguments_are_refused_in_words() -> None:
    kernel = copy_kernel()
    data = np.zeros(4, np.float32)
    with pytest.raises(TypeError, match=r"buffers\[1\] must be a NumPy array"):
        kernel.dispatch(threads=1, group=1, buffers=[data, 3])
    with pytest.raises(ValueError, match="threads must be 1 to 3 extents"):
        kernel.dispatch(threads=(1, 1, 1, 1), group=1, buffers=[data, data])
    with pytest.raises(ValueError, match="strides must not be negative"):
        kernel.dispatch(threads=1, group=1, buffers=[data[::-1], data])
    with pytest.raises(ValueError, match="at most 31"):
        kernel.dispatch(threads=1, group=1, buffers=[data] * 32)
    with pytest.raises(ValueError, match='"all" or "none"'):
        simulator.Library(COPY, checks="some")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="fast_math"):
        simulator.Library(COPY, checks="all", fast_math=True)


def test_group_above_the_limits_is_reported_before_anything_runs() -> None:
    data = np.zeros(2048, np.float32)
    with pytest.raises(simulator.Violation, match="at most 1024 threads") as caught:
        copy_kernel().dispatch(threads=2048, group=2048, buffers=[data, data.copy()])
    assert caught.value.kind == "limit"


def test_access_behind_a_buffer_never_lands_in_another() -> None:
    # Neighbours in one allocation: what lies behind the first is the second.
    memory = np.zeros(96, np.float32)
    first, second = memory[:32], memory[32:]
    with pytest.raises(simulator.Violation) as caught:
        copy_kernel().dispatch(threads=64, group=64, buffers=[first, second])
    assert (caught.value.buffer, caught.value.offset) == ("input", 128)


def test_overlapping_buffers_stay_one_memory() -> None:
    source = (
        HEADER
        + """kernel void move(device const float* input [[buffer(0)]],
                 device float* output [[buffer(1)]]) {
  for (uint i = 0; i < 8; ++i) {
    output[i] = input[i] + 1.0f;
  }
}
"""
    )
    memory = np.zeros(9, np.float32)
    simulator.Library(source).kernel("move").dispatch(
        threads=1, group=1, buffers=[memory[:8], memory[1:]]
    )
    np.testing.assert_array_equal(memory, np.arange(9))


def test_index_past_the_last_array_of_a_struct_is_out_of_bounds() -> None:
    source = (
        HEADER
        + """template <int kCount>
struct Tile {
  float values[kCount];
};
template <int kCount>
void fill(thread Tile<kCount>& tile, uint count) {
  for (uint i = 0; i < count; ++i) {
    tile.values[i] = float(i);
  }
}
kernel void run(device float* output [[buffer(0)]],
                constant uint& count [[buffer(1)]]) {
  Tile<1> tile;
  fill(tile, count);
  output[0] = tile.values[0];
}
"""
    )
    kernel = simulator.Library(source).kernel("run")
    output = np.zeros(1, np.float32)
    kernel.dispatch(threads=1, group=1, buffers=[output, np.uint32(1)])
    with pytest.raises(simulator.Violation) as caught:
        kernel.dispatch(threads=1, group=1, buffers=[output, np.uint32(2)])
    assert (caught.value.kind, caught.value.line) == ("bounds", 10)
