# SPDX-License-Identifier: MIT
"""Every Metal text can be listed, written as a file, and chosen from."""

from __future__ import annotations

from pathlib import Path

from flash_attn_mps.check.kernels import chosen_families, inventory
from flash_attn_mps.check.machine import gpu_family
from tools.write_metal_sources import write_sources

KERNELS = {
    "attention_forward",
    "attention_delta",
    "attention_backward_query",
    "attention_backward_key_value",
}


def test_inventory_has_every_kernel_in_every_dtype_and_mask() -> None:
    families = [family for family in inventory() if family.masking != "probe"]
    assert {family.kernel for family in families} == KERNELS
    for kernel in KERNELS - {"attention_delta"}:
        sorts = {(f.dtype, f.masking) for f in families if f.kernel == kernel}
        assert len(sorts) == 6
    assert max(family.head_dim for family in families) == 256


def test_quick_choice_is_a_part_that_has_every_sort() -> None:
    families = inventory()
    chosen = chosen_families(families, is_quick=True)
    assert len(chosen) < len(families) / 4
    assert {(f.kernel, f.dtype, f.masking) for f in chosen} == {
        (f.kernel, f.dtype, f.masking) for f in families
    }
    assert chosen_families(families, is_quick=False) == families


def test_every_text_is_written_once_and_is_ascii(tmp_path: Path) -> None:
    files = write_sources(tmp_path / "metal")
    assert len(set(files)) == len(files) == len(inventory())
    texts = [path.read_text(encoding="ascii") for path in files]
    assert len(set(texts)) > len(files) - 12  # some probes use no element type
    assert all("#include <metal_stdlib>" in text for text in texts)


def test_gpu_family_is_known_by_the_chip() -> None:
    assert gpu_family("Apple M1 Max") == "Apple7"
    assert gpu_family("Apple M4 Pro") == "Apple9"
    assert gpu_family("Intel Core i7") == "unknown"
