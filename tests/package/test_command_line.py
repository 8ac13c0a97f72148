# SPDX-License-Identifier: MIT
"""`python -m flash_attn_mps info` and `explain`: text, JSON, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

import flash_attn_mps
from flash_attn_mps.__main__ import main
from tests.package.golden_explanations import (
    PROBLEMS,
    explanation,
    path_of,
    without_source_size,
)
from tests.processes import run_python

KERNELS = (
    "attention_forward",
    "attention_delta",
    "attention_backward_query",
    "attention_backward_key_value",
)


def _explain(*arguments: str) -> dict:
    return json.loads(explanation([*arguments, "--json"]))


def test_info_names_versions_device_and_where_kernels_run(
    simulated: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """The JSON has every fact that a report of a problem needs."""
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["flash_attn_mps"] == flash_attn_mps.__version__
    assert facts["torch"] == torch.__version__
    assert facts["backend"] == ("simulator" if simulated else "mps")
    if simulated:
        assert facts["device"] == "Apple M1 Max"
        assert "ziglang" in facts["toolchain"]
    else:
        assert facts["device"].startswith("Apple M")


def test_info_as_text_holds_the_same_facts(capsys: pytest.CaptureFixture[str]) -> None:
    """One "name: value" line a fact."""
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{name}: {value}" for name, value in facts.items()]


def test_info_runs_as_a_module_and_compiles_nothing(tmp_path: Path) -> None:
    """Exit code 0, JSON alone on the output, an untouched cache folder."""
    cache = tmp_path / "cache"
    done = run_python(
        ["-m", "flash_attn_mps", "info", "--json"],
        tmp_path,
        FLASH_ATTN_MPS_CACHE_DIR=str(cache),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "device" in json.loads(done.stdout)
    assert not cache.exists()


@pytest.mark.parametrize("name", PROBLEMS)
def test_explanation_is_the_golden_text(name: str) -> None:
    """Problem, device, plan, spec, source and dispatch of every kernel."""
    text = without_source_size(explanation(PROBLEMS[name]))
    assert text == path_of(name).read_text()


def test_explanation_as_json_has_every_stage_of_every_kernel() -> None:
    """Numbers are numbers; the four kernels come in the order of their dispatch."""
    stages = _explain("--shape", "2,8,130,200,128", "--dtype", "float16", "--causal")
    assert stages["problem"]["query_length"] == 130
    assert stages["problem"]["key_value_heads"] == 8
    assert stages["problem"]["masking"] == "causal"
    assert stages["problem"]["scale"] == pytest.approx(128**-0.5, rel=1e-4)
    assert list(stages) == ["problem", "device_traits", *KERNELS]
    for name in KERNELS:
        kernel = stages[name]
        assert set(kernel) == {"tiling_plan", "kernel_spec", "source", "dispatch_plan"}
        assert kernel["source"]["file"].endswith(f"{name}.metal")
        assert kernel["source"]["characters"] > 0


def test_explanation_forgets_lengths_in_the_spec_alone() -> None:
    """Two lengths: another dispatch, the same spec; two types: another spec."""
    short = _explain("--shape", "1,2,10,10,64")
    long = _explain("--shape", "1,2,999,10,64")
    half = _explain("--shape", "1,2,10,10,64", "--dtype", "float16")
    for kernel in KERNELS:
        spec = short[kernel]["kernel_spec"]
        assert long[kernel]["kernel_spec"] == spec
        assert half[kernel]["kernel_spec"] != spec
        assert long[kernel]["dispatch_plan"] != short[kernel]["dispatch_plan"]


def test_explanation_of_nothing_to_do_has_no_backward_kernel_over_keys() -> None:
    """Without keys there is no gradient of keys to compute."""
    stages = _explain("--shape", "2,3,5,0,8")
    assert "attention_backward_key_value" not in stages


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["--shape", "1,3,4,4,8", "--kv-heads", "2"],
            "flash_attn_mps::explain: the number of query heads must be a multiple "
            "of the number of key and value heads; got 3 query heads and 2 key and "
            "value heads.",
        ),
        (
            ["--shape", "1,1,4,4,8", "--dtype", "float64"],
            "flash_attn_mps::explain: the dtype of query, key and value must be "
            "float32, float16 or bfloat16; got float64. Convert them, for example "
            "with tensor.float().",
        ),
    ],
)
def test_explanation_of_an_impossible_problem_ends_with_code_2(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The operators' own sentence on the error stream, nothing on the output."""
    assert main(["explain", *arguments]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", text + "\n")


@pytest.mark.parametrize("shape", ["1,2,3", "a,b,c,d,e", "", "1,2,3,4,5,6"])
def test_shape_that_is_not_five_numbers_is_a_usage_error(
    shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Argparse's own exit code, and a sentence with what was given."""
    with pytest.raises(SystemExit) as ended:
        main(["explain", "--shape", shape])
    assert ended.value.code == 2
    assert f"must be five whole numbers B,H,Sq,Sk,D; got {shape!r}" in (
        capsys.readouterr().err
    )


def test_no_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The usage names the commands."""
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert "info" in capsys.readouterr().err
