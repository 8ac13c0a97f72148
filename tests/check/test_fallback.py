# SPDX-License-Identifier: MIT
"""Where the GPU is not as the kernels need it, torch's attention answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import run_python

pytestmark = pytest.mark.usefixtures("simulator_only")

# Prints one line for each fact; run with the probe on and a fault.
PROGRAM = """
import os
import warnings
import torch
import flash_attn_mps
from flash_attn_mps.attention import scaled_dot_product_attention as ours
from torch.nn.functional import scaled_dot_product_attention as torchs

def gradients(attention, inputs, **options):
    leaves = [tensor.clone().requires_grad_() for tensor in inputs]
    output = attention(*leaves, **options)
    return [output, *torch.autograd.grad(output.sin().sum(), leaves)]

inputs = [torch.randn(2, 4, 33, 24) for _ in range(3)]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for options in ({}, {"is_causal": True}, {"scale": 0.3}):
        for a, b in zip(gradients(ours, inputs, **options),
                        gradients(torchs, inputs, **options)):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)
for warning in caught:
    print("warned:", warning.category.__name__, warning.message)
with torch.no_grad():
    same = torch.equal(ours(*inputs), torchs(*inputs))
print("forward alone is torch's:", same)
for name, arguments in (
    ("forward", (*inputs, False, None, False)),
    ("backward", (inputs[0], *inputs, inputs[0], inputs[0][..., 0], False, None,
                  False, [True, True, True])),
):
    try:
        getattr(torch.ops.flash_attn_mps, name)(*arguments)
        print(name, "answered")
    except RuntimeError as error:
        print(name, "raised:", str(error).splitlines()[0])
os.environ["FLASH_ATTN_MPS_FALLBACK"] = "0"
try:
    gradients(ours, inputs)
except RuntimeError as error:
    print("without fallback raised:", str(error).splitlines()[0])
"""


def run(directory: Path, fault: str) -> str:
    """Runs the program with a fault and an empty record of probes."""
    program = directory / "program.py"
    program.write_text(PROGRAM)
    result = run_python(
        [str(program)],
        directory,
        FLASH_ATTN_MPS_PROBE="1",
        FLASH_ATTN_MPS_SIMULATOR_FAULT=fault,
        FLASH_ATTN_MPS_SIMULATOR_CHECKS="none",
        FLASH_ATTN_MPS_CACHE_DIR=str(directory / "cache"),
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("lane_map", "element 0 of lane 0 must be (0, 0); got (1, 0)"),
        ("product", "computes another product"),
    ],
)
def test_refused_device_warns_once_and_uses_torch(
    fault: str, reason: str, tmp_path: Path
) -> None:
    output = run(tmp_path, fault)
    warned = [line for line in output.splitlines() if line.startswith("warned:")]
    assert len(warned) == 1
    assert warned[0].startswith("warned: RuntimeWarning flash_attn_mps: torch's own")
    assert reason in warned[0]
    assert "forward alone is torch's: True" in output
    raised = [line for line in output.splitlines() if " raised: " in line]
    assert len(raised) == 3
    assert all(reason in line for line in raised)


def test_kernel_that_does_not_compile_falls_back_for_its_calls(tmp_path: Path) -> None:
    output = run(tmp_path, "compile:attention_backward_query")
    warned = [line for line in output.splitlines() if line.startswith("warned:")]
    assert warned
    assert all("attention_backward_query does not compile" in line for line in warned)
    # Without gradients the forward kernel answers.
    assert "forward answered" in output
    assert "backward raised:" in output
    assert "without fallback raised: flash_attn_mps: attention_backward" in output
