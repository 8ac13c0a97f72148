# SPDX-License-Identifier: MIT
"""python -m demo: trains twice, compares, writes loss.png and metrics.json.

Exits with 1 if the two trainings differ or the model did not learn.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

import flash_attn_mps
from demo.comparison import (
    Metrics,
    draw_losses,
    failures,
    measure,
    write_metrics,
)
from demo.corpus import Corpus
from demo.device import description
from demo.gpt import AttentionFunction, GptSize
from demo.progress_bar import ProgressBar
from demo.training import TrainedModel, TrainingPlan, train

OUTPUT = Path(__file__).parent
PROMPT = "Ham.\nTo "
GENERATED_CHARACTERS = 200


def our_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """This package's kernels."""
    return flash_attn_mps.scaled_dot_product_attention(
        query, key, value, is_causal=True
    )


def torch_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """What torch brings."""
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def run(
    title: str,
    plan: TrainingPlan,
    corpus: Corpus,
    attention: AttentionFunction,
    device: torch.device,
) -> TrainedModel:
    """One training with its progress bar."""
    tokens = plan.batch_size * GptSize(len(corpus.alphabet)).context
    bar = ProgressBar(title, plan.steps, tokens)
    return train(plan, corpus, attention, device, bar.show)


def print_sample(trained: TrainedModel, corpus: Corpus, plan: TrainingPlan) -> None:
    """Prints text that the model writes, one length after the other."""
    device = next(trained.model.parameters()).device
    prompt = corpus.encode(PROMPT).to(device)
    text = trained.model.continued(prompt, GENERATED_CHARACTERS, plan.generator())
    print(f"\nA sample of what it writes after {PROMPT!r}:\n")
    print("\n".join(f"    {line}" for line in corpus.decode(text.cpu()).split("\n")))
    hits, misses, _ = flash_attn_mps.pipeline_cache_info()
    print(
        f"\nKernels compiled for all of this: {misses} (used {hits + misses:,} times)"
    )


def print_verdict(metrics: Metrics, found: list[str], *, is_mps: bool) -> None:
    """Prints the figures and what they mean."""
    note = " (bar not yet calibrated on a Mac)" if is_mps else ""
    print(
        f"loss {metrics.loss_first:.3f} -> {metrics.loss_last:.3f}; largest difference "
        f"to torch's attention {metrics.max_loss_difference:.1e}{note}"
    )
    print(f"wrote {OUTPUT.name}/loss.png and {OUTPUT.name}/metrics.json")
    for sentence in found:
        print(f"FAILED: {sentence}")


def main() -> int:
    """The whole demo; returns its exit code."""
    is_mps = torch.backends.mps.is_available()
    device = torch.device("mps" if is_mps else "cpu")
    # torch's own threads wait for each other by spinning, which costs the
    # simulator's workers more than a model of this size gains from them.
    torch.set_num_threads(1)
    plan, corpus = TrainingPlan(), Corpus.load()
    print(f"Our kernels run on: {description()}")
    print(f"Text: {len(corpus.characters):,} characters of Shakespeare\n")
    start = partial(run, plan=plan, corpus=corpus, device=device)
    reference = start("torch's attention", attention=torch_attention)
    ours = start("flash_attn_mps   ", attention=our_attention)
    print_sample(ours, corpus, plan)
    metrics = measure(
        description(), ours.losses, reference.losses, ours.tokens_per_second
    )
    write_metrics(metrics, OUTPUT / "metrics.json")
    draw_losses(ours.losses, reference.losses, OUTPUT / "loss.png")
    found = failures(metrics, is_mps=is_mps)
    print_verdict(metrics, found, is_mps=is_mps)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
