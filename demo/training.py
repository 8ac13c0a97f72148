# SPDX-License-Identifier: MIT
"""Trains one model and returns its losses; it compares and prints nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from demo.corpus import Corpus
from demo.gpt import AttentionFunction, Gpt, GptSize

# Called after every step with its number and its loss.
StepObserver = Callable[[int, float], None]


@dataclass(frozen=True)
class TrainingPlan:
    """What both trainings share."""

    steps: int = 300
    batch_size: int = 12
    learning_rate: float = 1e-3
    seed: int = 1

    def generator(self) -> torch.Generator:
        """A new generator of the CPU, at the seed."""
        return torch.Generator(device="cpu").manual_seed(self.seed)


@dataclass(frozen=True)
class TrainedModel:
    """A model, the loss before each step and the time that all steps took."""

    model: Gpt
    losses: list[float]
    tokens_per_second: float


def train(
    plan: TrainingPlan,
    corpus: Corpus,
    attention: AttentionFunction,
    device: torch.device,
    observe: StepObserver,
) -> TrainedModel:
    """Trains a new model from the plan's seed with the given attention."""
    generator = plan.generator()
    model = Gpt(GptSize(alphabet=len(corpus.alphabet)), attention)
    model.initialise(generator)
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.learning_rate)
    losses: list[float] = []
    start = time.perf_counter()
    for step in range(plan.steps):
        batch = corpus.batch(plan.batch_size, model.size.context, generator)
        characters, following = (part.to(device) for part in batch)
        loss = model.loss(characters, following)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
        observe(step, losses[-1])
    seconds = time.perf_counter() - start
    tokens = plan.steps * plan.batch_size * model.size.context
    return TrainedModel(model, losses, tokens / seconds)
