# SPDX-License-Identifier: MIT
"""Runs mutants in worker processes: a crash or an endless loop is a verdict too."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

import torch

import flash_attn_mps  # noqa: F401  (loads the operators)
from flash_attn_mps import simulator
from tools.mutation.mutants import Mutant, apply
from tools.mutation.problems import (
    PROBLEMS,
    Answers,
    KernelText,
    Problem,
    Run,
    kernel_texts,
)

# A mutant's verdict: the name of the test that caught it, or one of these.
SURVIVED = "survived"
NOT_COMPILED = "does not compile"
TIME_LIMIT_SECONDS = 60.0
# A mutant and its verdict.
Verdict = tuple[Mutant, str]


def texts_of(problem: Problem) -> list[KernelText]:
    """The kernels that are planned for a problem."""
    sizes = [
        problem.batch,
        problem.query_heads,
        problem.query_length,
        problem.key_length,
        problem.head_dim,
        problem.value_head_dim,
    ]
    sources = torch.ops.flash_attn_mps.kernel_sources(
        sizes, problem.key_value_heads, problem.dtype, problem.is_causal
    )
    return kernel_texts(problem, sources)


def fault_of(
    problem: Problem, answers: Answers, kernel: KernelText, text: str
) -> str | None:
    """Dispatches a kernel's text under all checkers; says what went wrong."""
    run = Run(problem, answers, kernel.name)
    library = simulator.Library(text, checks="all")
    report = library.kernel(kernel.name).dispatch(
        threads=(kernel.threads, 1, 1),
        group=(kernel.group, 1, 1),
        buffers=run.arguments(),
        raise_on_violation=False,
    )
    if report.violations:
        return str(report.violations[0].kind)
    return run.fault()


def judge(mutant: Mutant | None) -> str:
    """The verdict on a mutant; on the unchanged kernels if there is none."""
    was_changed = False
    for problem in PROBLEMS:
        answers = Answers(problem)
        for kernel in texts_of(problem):
            text = apply(mutant, kernel.text) if mutant else kernel.text
            if mutant and text == kernel.text:
                continue
            was_changed = True
            try:
                fault = fault_of(problem, answers, kernel, text)
            except simulator.CompileError:
                return NOT_COMPILED
            if fault:
                return f"{kernel.name}/{problem.name}: {fault}"
    if mutant and not was_changed:
        raise ValueError(f"no kernel contains {mutant}")
    return SURVIVED


def work(connection: multiprocessing.connection.Connection) -> None:
    """Judges mutants that arrive until the connection closes."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["FLASH_ATTN_MPS_CACHE_DIR"] = cache
        os.environ["FLASH_ATTN_MPS_SIMULATOR_THREADS"] = "1"
        while True:
            try:
                mutant = connection.recv()
            except EOFError:
                return
            connection.send(judge(mutant))


class Worker:
    """One process that judges mutants, started again when it ends early."""

    def __init__(self) -> None:
        self.mutant: Mutant | None = None
        self.start()

    def start(self) -> None:
        """Starts the process."""
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def give(self, mutant: Mutant) -> None:
        """Hands a mutant over."""
        self.mutant = mutant
        self.connection.send(mutant)

    def take(self) -> Verdict:
        """Waits for the verdict."""
        assert self.mutant is not None
        verdict: Any = "time limit"
        try:
            if self.connection.poll(TIME_LIMIT_SECONDS):
                return self.mutant, str(self.connection.recv())
        except EOFError:
            verdict = "crash"
        self.stop()
        self.start()
        return self.mutant, str(verdict)

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def judge_all(mutants: Iterable[Mutant], jobs: int) -> Iterator[Verdict]:
    """Verdicts on all mutants, in the order of the mutants."""
    workers = [Worker() for _ in range(jobs)]
    waiting: list[Worker] = []
    try:
        for index, mutant in enumerate(mutants):
            worker = workers[index % jobs]
            if worker in waiting:
                waiting.remove(worker)
                yield worker.take()
            worker.give(mutant)
            waiting.append(worker)
        for worker in waiting:
            yield worker.take()
    finally:
        for worker in workers:
            worker.stop()
