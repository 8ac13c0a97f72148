# SPDX-License-Identifier: MIT
"""The demo fails when it should: curves that differ, NaN, a model that learns not."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from demo.comparison import failures, measure, write_metrics
from demo.corpus import Corpus
from demo.gpt import Gpt, GptSize
from demo.progress_bar import ProgressBar
from demo.training import TrainingPlan, train

GOOD = [4.4, *([2.3] * 19)]


def causal(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def verdict(ours: list[float], reference: list[float], *, is_mps: bool) -> list[str]:
    return failures(measure("a device", ours, reference, 1.0), is_mps=is_mps)


def shifted(by: float) -> list[float]:
    return [*GOOD[:7], GOOD[7] + by, *GOOD[8:]]


def test_equal_curves_that_fall_pass() -> None:
    assert verdict(GOOD, GOOD, is_mps=False) == []


@pytest.mark.parametrize(
    ("by", "is_mps", "fails"),
    [
        (1e-5, False, False),
        (3e-5, False, True),
        (3e-5, True, False),
        (2e-3, True, True),
        (math.nan, False, True),
        (math.inf, True, True),
    ],
)
def test_one_differing_step_decides(by: float, is_mps: bool, fails: bool) -> None:
    sentences = verdict(shifted(by), GOOD, is_mps=is_mps)
    assert [("curves must differ" in sentence) for sentence in sentences] == (
        [True] if fails else []
    )


@pytest.mark.parametrize("last", [2.41, 3.0, math.nan])
def test_a_loss_that_does_not_fall_fails(last: float) -> None:
    curve = [4.4, *([last] * 19)]
    assert any("mean loss" in text for text in verdict(curve, curve, is_mps=False))


def test_metrics_have_the_documented_names(tmp_path: Path) -> None:
    write_metrics(measure("a device", GOOD, GOOD, 5.0), tmp_path / "metrics.json")
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    assert metrics == {
        "device": "a device",
        "steps": 20,
        "loss_first": 4.4,
        "loss_last": pytest.approx(2.3),
        "max_loss_difference": 0.0,
        "tokens_per_second": 5.0,
    }


def test_text_survives_encoding() -> None:
    corpus = Corpus.load()
    assert corpus.decode(corpus.encode("To be, or not to be")) == "To be, or not to be"


def test_following_characters_follow() -> None:
    corpus = Corpus.load()
    excerpt, following = corpus.batch(3, 16, torch.Generator().manual_seed(0))
    assert torch.equal(excerpt[:, 1:], following[:, :-1])


def test_two_trainings_from_one_seed_are_equal() -> None:
    corpus, device = Corpus.load(), torch.device("cpu")
    plan = TrainingPlan(steps=3, batch_size=2)
    runs = [train(plan, corpus, causal, device, lambda *_: None) for _ in range(2)]
    assert runs[0].losses == runs[1].losses
    assert runs[0].losses[0] != runs[0].losses[1]


def test_writing_grows_by_what_was_asked() -> None:
    model = Gpt(GptSize(alphabet=9, context=4), causal)
    start = torch.tensor([1, 2])
    text = model.continued(start, 6, torch.Generator().manual_seed(0))
    assert text[:2].tolist() == [1, 2]
    assert len(text) == 8


def test_the_bar_shows_steps_and_loss() -> None:
    stream = io.StringIO()
    bar = ProgressBar("ours", steps=2, tokens_per_step=10, stream=stream)
    bar.show(0, 4.5)
    bar.show(1, 4.25)
    lines = stream.getvalue().splitlines()
    assert "1/2  loss 4.5000" in lines[0]
    assert "[########################] 2/2  loss 4.2500" in lines[1]
